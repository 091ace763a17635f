-- A quantile is a choice among buckets of the range; MIN and MAX are quantiles.
-- policy: census

-- accepted: quantile 0..121 at 1/2 none 1; quantile 0..200000 at 1/4 none 1; quantile 0..200000 at 3/4 none 1
SELECT MEDIAN(age), QUANTILE(pay, 0.25), QUANTILE_CONT(pay, 0.75) FROM people;

-- accepted: quantile -1000..3000 at 9/10 none 1
SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY balance) FROM people;

-- accepted: quantile 0..121 at 1/100 none 1; quantile 0..121 at 99/100 none 1
SELECT MIN(age), MAX(age) FROM people;

-- accepted: quantile 0..5001 at 1/2 none 1 by sex(2)
SELECT sex, MEDIAN(CLIP(children, 0, 5000)) FROM people GROUP BY sex;

-- refused: Q104 1:15
SELECT MEDIAN(income) FROM people;

-- refused: Q124 1:17
SELECT QUANTILE(age, 0) FROM people;

-- refused: Q124 1:17
SELECT QUANTILE(age, 1.5) FROM people;

-- refused: Q124 1:17
SELECT QUANTILE(age, children) FROM people;

-- refused: Q124 1:17
SELECT QUANTILE(age, 0.123456) FROM people;

-- refused: Q120 1:12
SELECT MIN(city) FROM people;

-- refused: Q118 1:8
SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY balance DESC) FROM people;

-- accepted: quantile 0..366 at 1/100 none 1
SELECT MIN(born) FROM people WHERE born BETWEEN '2000-01-01' AND '2000-12-31';

-- refused: Q104 1:12
SELECT MAX(seen) FROM people;

-- Numbers computed from numbers have the range of interval arithmetic.
-- policy: census

-- accepted: total 1..121 none 1; total -3000..1120 none 1; total -120..0 none 1; total 0..3000 none 1
SELECT SUM(age + 1), SUM(age - balance), SUM(-age), SUM(ABS(balance)) FROM people;

-- accepted: total -120000..360000 none 1; total 0..60 none 1; total -1000..3000 none 1
SELECT SUM(age * balance), SUM(age / 2), SUM(balance / (age + 1)) FROM people;

-- accepted: total -6..6 none 1; total 0..6 none 1; total 0..11 none 1
SELECT SUM(children % 7), SUM(age % 7), SUM(SQRT(age)) FROM people;

-- accepted: total 4.5..4.5 none 1; total 0..1200 none 1
SELECT SUM(2 * 3 - 1.5), SUM(age / 0.1) FROM people;

-- accepted: total 0..120 none 1
SELECT SUM(age / age) FROM people;

-- accepted: total 1..2 none 1
SELECT SUM(smoker + 1) FROM people;

-- accepted: rows none 1 by decade(13)
SELECT age // 10 AS decade, COUNT(*) FROM people GROUP BY decade;

-- refused: Q104 1:12
SELECT SUM(balance / pay) FROM people;

-- refused: Q104 1:12
SELECT SUM(children + 1) FROM people;

-- refused: Q120 1:12
SELECT SUM(city + 1) FROM people;

-- refused: Q122 1:12
SELECT SUM(children // 2) FROM people;

-- refused: Q111 1:12
SELECT SUM(SIN(age)) FROM people;

-- refused: Q111 1:12
SELECT SUM(SINH(age)) FROM people;

-- refused: Q107 1:12
SELECT SUM(1e99 * age) FROM people;

-- refused: Q120 1:12
SELECT SUM(age + NULL) FROM people;

-- accepted: total -1.19209e-07..5.29832 none 1
SELECT SUM(LN(CLIP(pay, 1, 200))) FROM people;

-- refused: Q104 1:12
SELECT SUM(LN(pay)) FROM people;

-- FLOOR and CEIL round the range as they round numbers, ROUND outward.
-- policy: census

-- accepted: total 0..66666 none 1; total -142..429 none 1; total -142.9..428.6 none 1
SELECT SUM(FLOOR(pay / 3)), SUM(CEIL(balance / 7)), SUM(ROUND(balance / 7, 1)) FROM people;

-- accepted: rows none 1 by decade(13)
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade;

-- accepted: rows none 1 by decade(12)
SELECT FLOOR(LEAST(age, 119) / 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade;

-- accepted: rows none 1 by half(1)
SELECT CEIL(GREATEST(age, 61) / 60) AS half, COUNT(*) FROM people GROUP BY half;

-- accepted: rows none 1 by bucket(13)
SELECT WIDTH_BUCKET(age, 0, 120, 12) AS bucket, COUNT(*) FROM people GROUP BY bucket;

-- accepted: rows none 1 by bucket(12)
SELECT WIDTH_BUCKET(LEAST(age, 119), 0, 120, 12) AS bucket, COUNT(*) FROM people GROUP BY bucket;

-- accepted: rows none 1 by k(5)
SELECT ROUND(balance / 1000) AS k, COUNT(*) FROM people GROUP BY 1;

-- refused: Q104 1:18
SELECT SUM(FLOOR(income)) FROM people;

-- refused: Q122 1:12
SELECT SUM(ROUND(pay, age)) FROM people;

-- refused: Q120 1:18
SELECT SUM(FLOOR(city)) FROM people;

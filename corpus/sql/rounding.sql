-- FLOOR, CEIL and ROUND round the range outward.
-- policy: census

-- accepted: total 0..66667 none 1; total -143..429 none 1; total -142.9..428.6 none 1
SELECT SUM(FLOOR(pay / 3)), SUM(CEIL(balance / 7)), SUM(ROUND(balance / 7, 1)) FROM people;

-- accepted: rows none 1 by decade(13)
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade;

-- accepted: rows none 1 by k(5)
SELECT ROUND(balance / 1000) AS k, COUNT(*) FROM people GROUP BY 1;

-- refused: Q104 1:18
SELECT SUM(FLOOR(income)) FROM people;

-- refused: Q122 1:12
SELECT SUM(ROUND(pay, age)) FROM people;

-- refused: Q120 1:18
SELECT SUM(FLOOR(city)) FROM people;

-- YEAR, MONTH and DAY of a date.
-- policy: census

-- accepted: rows none 1 by m(12)
SELECT MONTH(born) AS m, COUNT(*) FROM people GROUP BY m;

-- accepted: rows none 1 by d(31)
SELECT EXTRACT(DAY FROM seen) AS d, COUNT(*) FROM people GROUP BY d;

-- accepted: rows none 1 by y(10)
SELECT CLIP(YEAR(born), 1950, 1959) AS y, COUNT(*) FROM people GROUP BY y;

-- accepted: rows none 1 by y(?)
SELECT YEAR(born) AS y, COUNT(*) FROM people GROUP BY y;

-- accepted: rows none 1 by y(10)
SELECT y, COUNT(*) FROM (SELECT YEAR(born) AS y FROM people) t WHERE y BETWEEN 1990 AND 1999 GROUP BY y;

-- refused: Q120 1:35
SELECT COUNT(*) FROM people WHERE YEAR(city) = 2000;

-- refused: Q104 1:12
SELECT SUM(YEAR(born)) FROM people;

-- refused: Q112 1:35
SELECT COUNT(*) FROM people WHERE born < CURRENT_DATE;

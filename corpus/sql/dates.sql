-- YEAR, MONTH and DAY of a date.
-- policy: census

-- accepted: rows none 1 by m(12)
SELECT MONTH(born) AS m, COUNT(*) FROM people GROUP BY m;

-- accepted: rows none 1 by d(31)
SELECT EXTRACT(DAY FROM seen) AS d, COUNT(*) FROM people GROUP BY d;

-- accepted: rows none 1 by y(10)
SELECT CLIP(YEAR(born), 1950, 1959) AS y, COUNT(*) FROM people GROUP BY y;

-- accepted: nothing by y(?)
SELECT YEAR(born) AS y, COUNT(*) FROM people GROUP BY y;

-- accepted: rows none 1 by y(10)
SELECT y, COUNT(*) FROM (SELECT YEAR(born) AS y FROM people) t WHERE y BETWEEN 1990 AND 1999 GROUP BY y;

-- refused: Q120 1:35
SELECT COUNT(*) FROM people WHERE YEAR(city) = 2000;

-- refused: Q104 1:12
SELECT SUM(YEAR(born)) FROM people;

-- refused: Q112 1:42
SELECT COUNT(*) FROM people WHERE born < CURRENT_DATE;

-- accepted: rows none 1 by q(4)
SELECT QUARTER(born) AS q, COUNT(*) FROM people GROUP BY 1;

-- accepted: rows none 1 by w(7)
SELECT WEEKDAY(born) AS w, COUNT(*) FROM people GROUP BY 1;

-- accepted: rows none 1 by h(24)
SELECT EXTRACT(hour FROM seen) AS h, COUNT(*) FROM people GROUP BY 1;

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE DATE_TRUNC('month', born) = DATE '2000-12-01';

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE born + INTERVAL 3 DAY > DATE '2000-12-31' - INTERVAL 2 MONTH;

-- accepted: total 0..100 none 1
SELECT SUM(CLIP(DATE_DIFF('day', born, DATE '2000-12-31'), 0, 100)) FROM people;

-- refused: Q122 1:8
SELECT DATE_TRUNC('century', born), COUNT(*) FROM people GROUP BY 1;

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE born + INTERVAL age DAY > DATE '2000-12-31';

-- refused: Q120 1:14
SELECT COUNT(QUARTER(age)) FROM people;

-- accepted: rows none 1 by h(48)
SELECT DATE_TRUNC('hour', seen) AS h, COUNT(*) FROM people WHERE seen >= '2024-03-01' AND seen < '2024-03-03' GROUP BY 1;

-- accepted: nothing by h(?)
SELECT DATE_TRUNC('minute', seen) AS h, COUNT(*) FROM people GROUP BY 1;

-- accepted: rows none 1 by d(3)
SELECT CAST(seen AS DATE) AS d, COUNT(*) FROM people WHERE seen BETWEEN '2024-03-01' AND '2024-03-03 12:00:00' GROUP BY 1;

-- refused: Q122 1:8
SELECT TIME_BUCKET(INTERVAL 6 HOUR, seen) AS h, COUNT(*) FROM people GROUP BY 1;

-- refused: Q122 1:42
SELECT COUNT(*) FROM people WHERE seen > seen + INTERVAL 12 HOUR;

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE seen - born > INTERVAL 2 MONTH;

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE seen - born > INTERVAL 2 WEEK;

-- accepted: rows none 1 by b(6)
SELECT WIDTH_BUCKET(age, 0, 100, 5) AS b, COUNT(*) FROM people GROUP BY 1;

-- refused: Q122 1:8
SELECT WIDTH_BUCKET(age, 100, 0, 5) AS b, COUNT(*) FROM people GROUP BY 1;

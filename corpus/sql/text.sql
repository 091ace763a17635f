-- Words on text.
-- policy: census

-- accepted: rows none 1 by s(2)
SELECT UPPER(sex) AS s, COUNT(*) FROM people GROUP BY s;

-- accepted: total 0..20 none 1
SELECT SUM(LEAST(LENGTH(city), 20)) FROM people;

-- refused: Q104 1:12
SELECT SUM(LENGTH(city)) FROM people;

-- refused: Q120 1:35
SELECT COUNT(*) FROM people WHERE LOWER(age) = 'x';

-- refused: Q111 1:35
SELECT COUNT(*) FROM people WHERE REVERSE(city) = 'x';

-- accepted: rows none 1 by c(2)
SELECT SUBSTRING(sex, 1, 1) AS c, COUNT(*) FROM people GROUP BY 1;

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE TRIM(city) ILIKE 'os%' OR city || 'x' = 'Romex';

-- refused: Q122 1:24
SELECT COUNT(SUBSTRING(city, age, 2)) FROM people;

-- accepted: rows none 1 by c(2)
SELECT SPLIT_PART(sex, '.', 1) AS c, COUNT(*) FROM people GROUP BY 1;

-- accepted: rows none 1 by c(2)
SELECT REPLACE(sex, 'F', 'women') AS c, COUNT(*) FROM people GROUP BY 1;

-- accepted: rows none 1 by c(2)
SELECT RIGHT(sex, 1) AS c, COUNT(*) FROM people GROUP BY 1;

-- refused: Q122 1:14
SELECT COUNT(SPLIT_PART(city, '', 1)) FROM people;

-- refused: Q122 1:14
SELECT COUNT(SPLIT_PART(city, '.', 0)) FROM people;

-- refused: Q122 1:14
SELECT COUNT(SPLIT_PART(city, '.', -1)) FROM people;

-- refused: Q122 1:14
SELECT COUNT(SPLIT_PART(city, sex, 1)) FROM people;

-- refused: Q122 1:14
SELECT COUNT(REPLACE(city, '', 'x')) FROM people;

-- refused: Q122 1:14
SELECT COUNT(RIGHT(city, age)) FROM people;

-- refused: Q111 1:14
SELECT COUNT(REGEXP_EXTRACT(city, 'a+')) FROM people;

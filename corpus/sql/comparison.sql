-- Conditions compare values of one kind.
-- policy: census

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE age > income AND sex <> 'f' AND born = DATE '2000-02-29';

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE seen < '2020-01-01 10:00:00' AND born < seen;

-- accepted: total 0..1 none 1; total 0..1 none 1; rows none 1
SELECT SUM(age > 30), AVG(sex = 'f') FROM people;

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE city NOT LIKE '%x%' AND NOT (age IN (1, 2)) AND smoker IS TRUE;

-- refused: Q123 1:35
SELECT COUNT(*) FROM people WHERE age > 'ten';

-- refused: Q107 1:35
SELECT COUNT(*) FROM people WHERE born > '2000-13-01';

-- refused: Q123 1:35
SELECT COUNT(*) FROM people WHERE smoker = 1;

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE city LIKE sex;

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE age IN (1, children);

-- refused: Q121 1:35
SELECT COUNT(*) FROM people WHERE age > 1 AND city;

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE (age, children) IN ((1, 2));

-- refused: Q118 1:36
SELECT COUNT(*) FROM people WHERE (age, zip) IN ((1, 2, 3), (1, 2));

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(city, '^[A-M].*(burg|heim)$');

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(city, '(a)\1');

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(city, '(?i)a');

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(city, 'a+?');

-- refused: Q122 1:35
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(city, '[[:alpha:]]');

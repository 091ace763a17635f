-- A row counts one.
-- policy: census

-- accepted: rows none 1; rows none 1
SELECT COUNT(*), COUNT(income), COUNT(CLIP(income, 0, 1)), COUNT(1) FROM people;

-- accepted: rows none 1
SELECT COUNT(*) FILTER (WHERE age > 30), COUNT_IF(age > 30) FROM people;

-- accepted: rows none 1
SELECT COUNT() FROM people;

-- refused: Q106 1:19
SELECT COUNT(age, sex) FROM people;

-- refused: Q121 1:8
SELECT COUNT_IF(age) FROM people;

-- refused: Q116 1:8
SELECT COUNT(*) OVER () FROM people;

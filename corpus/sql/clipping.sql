-- LEAST, GREATEST and CLIP bound a number by itself.
-- policy: census

-- accepted: total 0..200000 none 1
SELECT SUM(CLIP(income, 0, 200000)) FROM people;

-- accepted: total -1.5..0.333333 none 1
SELECT SUM(CLIP(income, -1.5, 1/3)) FROM people;

-- accepted: total 10..20 none 1
SELECT SUM(CLIP(age, 10, 20)) FROM people;

-- accepted: total 0..100 none 1
SELECT SUM(LEAST(GREATEST(income, 0), 100)) FROM people;

-- accepted: total 0..120 none 1
SELECT SUM(GREATEST(LEAST(income, 100), age, 0)) FROM people;

-- accepted: rows none 1; rows none 1
SELECT COUNT(*), COUNT(LEAST(age, 5)), COUNT(LEAST(income, age)) FROM people;

-- refused: Q104 1:12
SELECT SUM(LEAST(income, age)) FROM people;

-- refused: Q104 1:12
SELECT SUM(LEAST(income, 100)) FROM people;

-- refused: Q122 1:12
SELECT SUM(CLIP(income, 0, age)) FROM people;

-- refused: Q122 1:12
SELECT SUM(CLIP(income, 5, 0)) FROM people;

-- refused: Q122 1:12
SELECT SUM(CLIP(income, 5)) FROM people;

-- refused: Q120 1:12
SELECT SUM(CLIP(city, 0, 5)) FROM people;

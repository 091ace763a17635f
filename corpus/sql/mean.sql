-- AVG is a sum of deviations over a count.
-- policy: census

-- accepted: total 0..120 none 1; rows none 1
SELECT AVG(age), COUNT(age) FROM people;

-- accepted: total 0..200000 none 1; rows none 1
SELECT AVG(pay), SUM(pay) FROM people;

-- accepted: total 0..1 none 1; rows none 1
SELECT MEAN(smoker) FROM people;

-- refused: Q104 1:12
SELECT AVG(income) FROM people;

-- refused: Q117 1:8
SELECT AVG(DISTINCT age) FROM people;

-- refused: Q117 1:8
SELECT MEAN(age, 0, 10) FROM people;

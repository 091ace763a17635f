-- CASE and COALESCE give one of their branches.
-- policy: census

-- accepted: total -2..5 none 1
SELECT SUM(CASE WHEN age < 18 THEN 5 WHEN smoker THEN -2 ELSE 1 END) FROM people;

-- accepted: total 0..1 none 1
SELECT SUM(CASE sex WHEN 'f' THEN 1 ELSE 0 END) FROM people;

-- accepted: rows none 1 by stage(2)
SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS stage, COUNT(*) FROM people GROUP BY stage;

-- accepted: total -1000..5000 none 1; rows none 1
SELECT SUM(COALESCE(balance, 5000)), COUNT(COALESCE(balance, 0)) FROM people;

-- accepted: total 0..200 none 1
SELECT SUM(IF(smoker, age, 200)) FROM people;

-- accepted: total 0..9 none 1
SELECT SUM(CASE WHEN income IS NULL THEN income ELSE LEAST(9, GREATEST(0, income)) END) FROM people;

-- accepted: rows none 1 by s(3)
SELECT COALESCE(sex, 'unknown') AS s, COUNT(*) FROM people GROUP BY s;

-- refused: Q104 1:22
SELECT SUM(CASE WHEN smoker THEN age ELSE income END) FROM people;

-- refused: Q123 1:22
SELECT SUM(CASE WHEN smoker THEN 1 ELSE 'x' END) FROM people;

-- refused: Q121 1:22
SELECT SUM(CASE WHEN age THEN 1 ELSE 0 END) FROM people;

-- refused: Q120 1:24
SELECT COUNT(CASE WHEN smoker THEN NULL END) FROM people;

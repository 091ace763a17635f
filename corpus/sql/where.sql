-- WHERE keeps rows by themselves, and what it compares is bounded and not NULL.
-- policy: census

-- accepted: total 31..120 none 1
SELECT SUM(age) FROM people WHERE age > 30;

-- accepted: total 31..64 none 1
SELECT SUM(age) FROM people WHERE age >= 30.5 AND 65 > age;

-- accepted: rows none 1
SELECT COUNT(age), COUNT(*) FROM people WHERE age BETWEEN 18 AND 65;

-- accepted: rows none 1; rows none 1
SELECT COUNT(age), COUNT(*) FROM people WHERE age > 18 OR smoker;

-- accepted: total 0..1000 none 1
SELECT SUM(income) FROM people WHERE income BETWEEN 0 AND 1000;

-- accepted: rows none 1 by children(3)
SELECT children, COUNT(*) FROM people WHERE children IN (0, 1, 2) GROUP BY children;

-- accepted: rows none 1 by city(2)
SELECT city, COUNT(*) FROM people WHERE city IN ('Oslo', 'Rome') GROUP BY city;

-- accepted: rows none 1 by sex(1)
SELECT sex, COUNT(*) FROM people WHERE sex = 'f' GROUP BY sex;

-- accepted: rows none 1 by smoker(1)
SELECT smoker, COUNT(*) FROM people WHERE NOT smoker GROUP BY smoker;

-- accepted: total 0..120 none 1
SELECT SUM(age) FROM people WHERE age > 500;

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE born >= '2000-01-01' AND city LIKE 'O%' AND seen IS NOT NULL;

-- refused: Q104 1:12
SELECT SUM(income) FROM people WHERE income > 0;

-- refused: Q121 1:35
SELECT COUNT(*) FROM people WHERE sex;

-- refused: Q109 1:49
SELECT COUNT(*) FROM people WHERE age > (SELECT AVG(age) FROM people);

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE zip IN (SELECT zip FROM places);

-- accepted: rows none 1
SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM places);

-- refused: Q117 1:35
SELECT COUNT(*) FROM people WHERE COUNT(*) > 3;

-- refused: Q112 1:35
SELECT COUNT(*) FROM people WHERE random() < 0.5;

-- refused: Q112 1:42
SELECT COUNT(*) FROM people WHERE born < now();

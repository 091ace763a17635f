-- What happens to answers is free.
-- policy: census

-- accepted: rows none 1 by sex(2)
SELECT sex, COUNT(*) AS n FROM people GROUP BY sex HAVING n > 10 ORDER BY n DESC LIMIT 1 OFFSET 1;

-- accepted: total 0..200000 none 1; rows none 1
SELECT SUM(pay) / COUNT(*) AS ratio FROM people;

-- accepted: total 0..200000 none 1; rows none 1
SELECT a / b FROM (SELECT SUM(pay) AS a, COUNT(*) AS b FROM people) t WHERE b > 10 ORDER BY a;

-- accepted: total 0..200000 none 1; rows none 1 by sex(2)
WITH t AS (SELECT sex, AVG(pay) AS m FROM people GROUP BY sex) SELECT *, ROUND(m, 2) AS r FROM t;

-- accepted: rows none 1 by sex(2)
SELECT sex FROM people GROUP BY sex ORDER BY COUNT(*);

-- accepted: rows none 1 by sex(2)
SELECT AVG(n) FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex) t;

-- refused: Q127 1:43
SELECT COUNT(*) AS n FROM people ORDER BY age;

-- refused: Q128 1:8
SELECT COUNT(*) % 2 FROM people;

-- accepted: rows none 1 by sex(2)
SELECT n FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex LIMIT 1) t WHERE n > 3;

-- refused: Q114 1:8
SELECT m FROM (SELECT COUNT(*) AS n FROM people) t;

-- refused: Q106 1:35
SELECT COUNT(*) FROM people LIMIT 10%;

-- refused: Q118 1:36
SELECT COUNT(*) FROM people LIMIT -1;

-- accepted: rows none 1
SELECT COUNT(*) FROM people UNION SELECT COUNT(*) FROM people;

-- refused: Q103 1:8
SELECT COUNT(*) FROM people EXCEPT SELECT COUNT(*) FROM people;

-- refused: Q103 1:51
SELECT COUNT(*) AS n FROM people UNION ALL SELECT age FROM people;

-- refused: Q127 1:36
SELECT COUNT(*) FROM people HAVING age > 3;

-- accepted: rows none 1 by sex(2)
SELECT sex, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM people GROUP BY sex QUALIFY share > 10;

-- accepted: rows none 1 by sex(2)
SELECT sex, RANK() OVER (ORDER BY COUNT(*) DESC), LAG(COUNT(*), 1, 0) OVER (ORDER BY sex) FROM people GROUP BY sex;

-- refused: Q118 1:37
SELECT COUNT(*) FROM people QUALIFY ROW_NUMBER() OVER () = 1;

-- refused: Q116 1:32
SELECT age FROM people QUALIFY ROW_NUMBER() OVER (ORDER BY age) = 1;

-- refused: Q116 1:8
SELECT SUM(pay) OVER () FROM people;

-- A sub-query gives rows other columns; whose rows they are goes along.
-- policy: clinic

-- accepted: total 0..2000 weights 10
SELECT SUM(x) FROM (SELECT cost * 2 AS x FROM visits) t;

-- accepted: units none 1
SELECT COUNT(DISTINCT who) FROM (SELECT patient AS who FROM visits) t;

-- accepted: distinct sample 10
SELECT COUNT(DISTINCT patient) FROM (SELECT pain AS patient FROM visits) t;

-- accepted: rows weights 10 by dear(2)
WITH a AS (SELECT *, cost > 10 AS dear FROM visits) SELECT dear, COUNT(*) FROM a GROUP BY dear;

-- accepted: total 0..1000 weights 10
WITH a AS (SELECT * FROM visits WHERE pain > 3), b AS (SELECT cost FROM a) SELECT SUM(cost) FROM b;

-- refused: Q116 1:53
SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY cost) t;

-- refused: Q116 1:50
SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 10) t;

-- refused: Q116 1:51
SELECT COUNT(*) FROM (SELECT * FROM visits OFFSET 10) t;

-- refused: Q116 1:33
SELECT COUNT(*) FROM (SELECT *, RANK() OVER (PARTITION BY patient) AS r FROM visits) t;

-- refused: Q126 1:41
SELECT COUNT(*) FROM (SELECT cost AS x, pain AS x FROM visits) t;

-- refused: Q114 1:12
SELECT SUM(hidden) FROM (SELECT cost FROM visits) t;

-- accepted: rows weights 10
SELECT COUNT(*) FROM (SELECT * EXCLUDE (cost) FROM visits) t;

-- accepted: total 1..1 weights 10
SELECT SUM(cost) FROM (SELECT v.* REPLACE (1 AS cost) FROM visits v) t;

-- refused: Q116 1:43
SELECT COUNT(*) FROM (SELECT DISTINCT ON (ward) * FROM visits) t;

-- refused: Q103 1:30
SELECT COUNT(*) FROM (SELECT cost FROM visits UNION ALL SELECT cost FROM visits) t;

-- refused: Q106 1:16
WITH RECURSIVE a AS (SELECT cost FROM visits) SELECT COUNT(*) FROM a;

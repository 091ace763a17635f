-- A sub-query that groups by the person has one row for each.
-- policy: clinic

-- accepted: total 0..500 none 1; rows none 1
SELECT AVG(CLIP(total, 0, 500)) FROM (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient) t;

-- accepted: rows none 1
SELECT COUNT(*) FROM (SELECT patient FROM visits GROUP BY patient HAVING COUNT(*) > 3) t;

-- accepted: total 1..20 none 1; rows none 1
SELECT AVG(LEAST(n, 20)) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY 1) t;

-- accepted: units none 1
SELECT COUNT(DISTINCT who) FROM (SELECT patient AS who, COUNT(*) AS n FROM visits GROUP BY who) t;

-- accepted: rows none 1 by worst(11)
SELECT worst, COUNT(*) FROM (SELECT patient, MAX(pain) AS worst FROM visits GROUP BY patient) t GROUP BY worst;

-- accepted: total 0..1000 none 1; rows none 1
SELECT AVG(CLIP(m, 0, 1000)) FROM (SELECT AVG(cost) AS m FROM visits GROUP BY patient) t;

-- accepted: total 0..9 weights 10; rows weights 10 by ward(3)
SELECT ward, AVG(CLIP(s, 0, 9)) FROM (SELECT patient, ward, SUM(pills) AS s FROM visits GROUP BY patient, ward) t GROUP BY ward;

-- accepted: rows weights 10
SELECT COUNT(*) FROM (SELECT DISTINCT patient, ward FROM visits) t;

-- accepted: rows weights 10
SELECT COUNT(*) FROM (SELECT patient, YEAR(day) AS y, COUNT(*) FILTER (WHERE pain > 5) AS n FROM visits GROUP BY ALL) t WHERE n > 2;

-- refused: Q104 1:12
SELECT SUM(n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) t;

-- refused: Q132 1:49
SELECT SUM(CLIP(s, 0, 9)) FROM (SELECT patient, SUM(tip) AS s FROM visits GROUP BY patient) t;

-- accepted: rows none 1
SELECT COUNT(*) FROM (SELECT patient, COUNT(DISTINCT day) AS d FROM visits GROUP BY patient) t;

-- refused: Q127 1:39
SELECT COUNT(*) FROM (SELECT patient, cost FROM visits GROUP BY patient) t;

-- refused: Q116 1:91
SELECT COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient ORDER BY n LIMIT 5) t;

-- refused: Q131 1:47
SELECT patient, COUNT(*) FROM visits GROUP BY patient;

-- refused: Q100 1:8
SELECT * FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) t;

-- refused: Q136 1:39
SELECT COUNT(*) FROM (SELECT patient, VARIANCE(cost) AS d FROM visits GROUP BY patient) t;

-- accepted: total 0..1000 none 1; rows none 1
SELECT AVG(m) FROM (SELECT patient, MEDIAN(cost) AS m FROM visits GROUP BY patient) t;

-- refused: Q136 1:48
SELECT COUNT(*) FROM (SELECT patient, QUANTILE(cost, 0.9) AS d FROM visits GROUP BY patient) t;

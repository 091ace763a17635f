-- The first rows of each person, in an order of their columns: a person has so many at most.
-- policy: clinic

-- accepted: rows none 1 by ward(3)
SELECT ward, COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day DESC) AS rn FROM visits) t WHERE rn = 1 GROUP BY ward;

-- accepted: rows none 2
SELECT COUNT(*) FROM (SELECT patient, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) AS rn FROM visits) t WHERE rn <= 2;

-- accepted: rows none 1 by ward(3)
SELECT ward, COUNT(*) FROM (SELECT * FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) = 1) t GROUP BY ward;

-- accepted: rows none 1 by ward(3)
SELECT ward, COUNT(*) FROM (SELECT DISTINCT ON (patient) patient, ward FROM visits ORDER BY patient, day) t GROUP BY ward;

-- accepted: rows weights 10
SELECT COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient, ward ORDER BY day) AS rn FROM visits) t WHERE rn = 1;

-- accepted: rows none 1 by last(3)
SELECT last, COUNT(*) FROM (SELECT patient, LAST(ward ORDER BY day) AS last FROM visits GROUP BY patient) t GROUP BY last;

-- accepted: total 0..1000 none 1; rows none 1
SELECT AVG(c) FROM (SELECT patient, ARG_MIN(cost, day) AS c FROM visits GROUP BY patient) t;

-- refused: Q116 1:39
SELECT ward, COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY ward ORDER BY day) AS rn FROM visits) t WHERE rn = 1 GROUP BY ward;

-- refused: Q116 1:114
SELECT COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) AS rn FROM visits) t WHERE rn = 2;

-- refused: Q136 1:53
SELECT COUNT(*) FROM (SELECT patient, ward, ARG_MIN(cost, day) AS c FROM visits GROUP BY patient, ward) t;

-- refused: Q116 1:184
SELECT COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) AS a, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY cost) AS b FROM visits) t WHERE a = 1 AND b = 1;

-- refused: Q126 1:30
SELECT COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day) AS cost FROM visits) t WHERE cost = 1;

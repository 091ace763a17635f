-- Weights hold a person's rows to the limit of the policy, or a sample of whole rows does.
-- policy: clinic

-- accepted: rows weights 10; total 0..1000 weights 10; rows weights 10; quantile 0..1000 at 1/2 weights 10
SELECT COUNT(*), AVG(cost), MEDIAN(cost) FROM visits;

-- accepted: distinct sample 10
SELECT COUNT(DISTINCT drug) FROM visits;

-- accepted: units weights 3 by ward(3)
SELECT ward, COUNT(DISTINCT patient) FROM visits GROUP BY ward;

-- accepted: units weights 10 by ward(3), pain(11)
SELECT ward, pain, COUNT(DISTINCT patient) FROM visits GROUP BY ward, pain;

-- accepted: units weights 2 by bad(2)
SELECT pain > 5 AS bad, COUNT(DISTINCT patient) FROM visits GROUP BY bad;

-- accepted: units none 1
SELECT COUNT(DISTINCT id) FROM patients;

-- accepted: rows none 1
SELECT COUNT(*) FROM (SELECT id FROM patients GROUP BY id) t;

-- refused: Q130 1:8
SELECT COUNT(*) FROM patients;

-- accepted: units weights 2 by sex(2)
SELECT sex, COUNT(DISTINCT id) FROM patients GROUP BY sex;

-- refused: Q130 1:8
SELECT COUNT(DISTINCT age) FROM patients;

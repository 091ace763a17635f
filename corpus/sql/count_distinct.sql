-- Different people, or different values.
-- policy: clinic

-- accepted: units none 1; distinct sample 10
SELECT COUNT(DISTINCT patient), COUNT(DISTINCT drug) FROM visits;

-- accepted: units none 1
SELECT COUNT(DISTINCT patient) FILTER (WHERE pain > 5) FROM visits;

-- accepted: units none 1
SELECT COUNT(DISTINCT CASE WHEN pain > 5 THEN patient END) FROM visits;

-- accepted: distinct sample 10
SELECT COUNT(DISTINCT ward || drug) FROM visits;

-- refused: Q117 1:8
SELECT COUNT(DISTINCT ward, drug) FROM visits;

-- refused: Q117 1:8
SELECT SUM(DISTINCT pain) FROM visits;

-- refused: Q111 1:8
SELECT MODE(drug) FROM visits;

-- Rows meet public ones by any comparisons, and those of the same person.
-- policy: clinic

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits JOIN wards ON pain < floor;

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits v LEFT JOIN patients p ON v.patient = p.id AND p.age > 30 AND v.pain < p.age;

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM patients p WHERE p.id = v.patient AND p.age > v.pain);

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits WHERE ward NOT IN (SELECT ward FROM wards WHERE floor > 2);

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits WHERE patient IN (SELECT id FROM patients WHERE age > 30);

-- refused: Q108 1:35
SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM patients);

-- refused: Q108 1:52
SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.day < v.day);

-- refused: Q109 1:35
SELECT COUNT(*) FROM visits WHERE cost IN (SELECT AVG(cost) FROM visits);

-- refused: Q109 1:50
SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits);

-- refused: Q125 1:39
SELECT COUNT(*) FROM visits FULL JOIN wards ON pain < floor;

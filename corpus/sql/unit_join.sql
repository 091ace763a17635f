-- Private tables meet on the person only.
-- policy: clinic

-- accepted: total 0..1000 weights 10 by sex(2)
SELECT sex, SUM(cost) FROM visits v JOIN patients p ON v.patient = p.id GROUP BY sex;

-- accepted: units none 1
SELECT COUNT(DISTINCT id) FROM visits v JOIN patients p ON p.id = v.patient AND v.ward = p.ward;

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits v LEFT JOIN patients p ON v.patient = p.id;

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits v JOIN visits w USING (patient) WHERE v.day < w.day;

-- accepted: rows none 1
SELECT COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) a JOIN (SELECT id, MAX(age) AS age FROM patients GROUP BY id) b ON a.patient = b.id;

-- refused: Q108 1:36
SELECT COUNT(*) FROM visits v JOIN patients p ON v.ward = p.ward;

-- refused: Q108 1:36
SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient = p.id + 1;

-- refused: Q108 1:36
SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient <= p.id;

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits v, patients p WHERE v.patient = p.id;

-- refused: Q108 1:36
SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient = p.age;

-- refused: Q108 1:36
SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient = p.id OR TRUE;

-- refused: Q125 1:46
SELECT COUNT(*) FROM patients p JOIN (SELECT COUNT(*) AS n FROM visits) t ON p.age = t.n;

-- accepted: rows weights 10
SELECT COUNT(*) FROM visits v RIGHT JOIN patients p ON v.patient = p.id;

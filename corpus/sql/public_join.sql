-- A public table may be joined on equal columns; without a unit its key must be unique.
-- policy: census

-- accepted: rows none 1 by region(2)
SELECT region, COUNT(*) FROM people JOIN places USING (zip) GROUP BY region;

-- accepted: total 0..1000 none 1; rows none 1 by region(2)
SELECT region, AVG(size) FROM people p LEFT JOIN places q ON p.zip = q.zip GROUP BY region;

-- accepted: rows none 1
SELECT COUNT(*) FROM places q JOIN people p ON q.zip = p.zip AND p.age > q.size;

-- accepted: rows none 1
SELECT COUNT(*) FROM places q RIGHT JOIN people p ON q.zip = p.zip;

-- refused: Q125 1:36
SELECT COUNT(*) FROM people p JOIN places q ON p.age > q.size;

-- refused: Q123 1:48
SELECT COUNT(*) FROM people p JOIN places q ON p.city = q.zip;

-- refused: Q125 1:41
SELECT COUNT(*) FROM people p LEFT JOIN places q ON p.zip = q.zip AND q.size > 3;

-- refused: Q125 1:42
SELECT COUNT(*) FROM people p RIGHT JOIN places q ON p.zip = q.zip;

-- refused: Q125 1:41
SELECT COUNT(*) FROM people p FULL JOIN places q ON p.zip = q.zip;

-- refused: Q125 1:40
SELECT COUNT(*) FROM people CROSS JOIN places;

-- accepted: rows none 1
SELECT COUNT(*) FROM people NATURAL JOIN places;

-- refused: Q118 1:23
SELECT COUNT(*) FROM (people JOIN places USING (zip));

-- refused: Q106 1:50
SELECT COUNT(*) FROM people p JOIN places q JOIN places r ON q.zip = r.zip ON p.zip = q.zip;

-- refused: Q113 1:52
SELECT COUNT(*) FROM people p JOIN LATERAL (SELECT * FROM places) q ON TRUE;

-- refused: Q115 1:14
SELECT COUNT(zip) FROM people p JOIN places q ON p.zip = q.zip;

-- refused: Q125 1:30
SELECT COUNT(*) FROM people, places;

-- refused: Q115 1:36
SELECT COUNT(*) FROM people p JOIN places p ON p.zip = p.zip;

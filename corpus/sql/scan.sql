-- Only tables of the policy are read; without a unit each row is a person.
-- policy: census

-- accepted: rows none 1
SELECT COUNT(*) FROM people;

-- accepted: rows none 1
SELECT count(*) FROM PEOPLE AS p;

-- accepted: rows none 1
SELECT COUNT(p.AGE) FROM "People" p;

-- accepted: rows none 1
FROM people SELECT COUNT(*);

-- refused: Q100 1:8
SELECT * FROM people;

-- refused: Q100 1:8
SELECT city FROM people;

-- refused: Q110 1:22
SELECT COUNT(*) FROM peple;

-- refused: Q110 1:22
SELECT COUNT(*) FROM main.people;

-- refused: Q110 1:22
SELECT COUNT(*) FROM 'people.parquet';

-- refused: Q113 1:22
SELECT COUNT(*) FROM read_parquet('people.parquet');

-- refused: Q113 1:22
SELECT COUNT(*) FROM read_csv_auto('/etc/passwd');

-- refused: Q113 1:22
SELECT COUNT(*) FROM glob('*');

-- refused: Q113 1:22
SELECT COUNT(*) FROM duckdb_settings();

-- refused: Q113 1:22
SELECT COUNT(*) FROM range(10);

-- refused: Q113 1:31
SELECT COUNT(*) FROM (VALUES (1)) t;

-- refused: Q106 1:41
SELECT COUNT(*) FROM people TABLESAMPLE 10%;

-- refused: Q106 1:34
SELECT COUNT(*) FROM people AS p(a, b);

-- refused: Q110 1:8
SELECT COUNT(*) FROM places;

-- refused: Q110 1:8
SELECT 1;

-- One SELECT, and nothing else.
-- policy: census

-- accepted: rows none 1
SELECT COUNT(*) FROM people;

-- accepted: rows none 1
(SELECT COUNT(*) FROM people);

-- accepted: rows none 1
SELECT COUNT(*) FROM people -- the end

-- refused: Q102 1:1
SELECT COUNT(*) FROM people; DROP TABLE people;

-- refused: Q102 1:1
DROP TABLE people;

-- refused: Q102 1:1
INSERT INTO people VALUES (1);

-- refused: Q102 1:1
COPY people TO 'out.csv';

-- refused: Q102 1:1
ATTACH 'other.db';

-- refused: Q102 1:1
INSTALL httpfs;

-- refused: Q102 1:1
PRAGMA database_list;

-- refused: Q102 1:1
SET threads = 1;

-- refused: Q102 1:1
CALL duckdb_settings();

-- refused: Q101 1:16
SELECT COUNT(* FROM people;

-- refused: Q101 1:1
SELECT 'open;

-- refused: Q113 1:8
SELECT getenv('HOME'), COUNT(*) FROM people;

-- refused: Q118 1:12
SELECT $1, COUNT(*) FROM people;

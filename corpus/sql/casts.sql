-- CAST keeps a range; what cannot be cast is NULL.
-- policy: census

-- accepted: total 0..1 none 1; total 0..200000 none 1; total 0..120 none 1
SELECT SUM(CAST(smoker AS INT)), SUM(pay::BIGINT), SUM(TRY_CAST(age AS DOUBLE)) FROM people;

-- accepted: total 0..1 none 1
SELECT SUM(CLIP(CAST(city AS DOUBLE), 0, 1)) FROM people;

-- accepted: rows none 1; rows none 1
SELECT COUNT(CAST(born AS TIMESTAMP)), COUNT(CAST(zip AS VARCHAR)) FROM people;

-- refused: Q104 1:17
SELECT SUM(CAST(city AS INT)) FROM people;

-- refused: Q123 1:19
SELECT COUNT(CAST(born AS INT)) FROM people;

-- accepted: total 0..200000 none 1
SELECT SUM(CAST(pay AS DECIMAL(9, 2))) FROM people;

-- refused: Q119 1:19
SELECT COUNT(CAST(pay AS BLOB)) FROM people;

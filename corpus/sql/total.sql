-- SUM needs a range.
-- policy: census

-- accepted: total 0..200000 none 1; total 0..120 none 1
SELECT SUM(pay), SUM(age) FROM people;

-- accepted: total -1000..3000 none 1; total 1..1 none 1
SELECT SUM(balance) FILTER (WHERE smoker), SUM(1) FROM people;

-- refused: Q104 1:12
SELECT SUM(income) FROM people;

-- refused: Q104 1:22
SELECT SUM(CASE WHEN smoker THEN income ELSE 0 END) FROM people;

-- refused: Q120 1:12
SELECT SUM(city) FROM people;

-- refused: Q118 1:12
SELECT SUM(*) FROM people;

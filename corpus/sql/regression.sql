-- Two columns: a product, two sums, a count, and squares, all from the middles of the ranges.
-- policy: census

-- accepted: total -6e+06..6e+06 none 1; total 0..200000 none 1; total 0..120 none 1; rows none 1; squares 0..120 none 1; squares 0..200000 none 1
SELECT CORR(pay, age) FROM people;

-- accepted: total -6e+06..6e+06 none 1; total 0..200000 none 1; total 0..120 none 1; rows none 1; squares 0..120 none 1
SELECT REGR_SLOPE(pay, age), REGR_INTERCEPT(pay, age) FROM people;

-- accepted: total -6e+06..6e+06 none 1; total 0..200000 none 1; total 0..120 none 1; rows none 1
SELECT COVAR_POP(pay, age) FROM people;

-- refused: Q104 1:13
SELECT CORR(income, age) FROM people;

-- refused: Q101 1:16
SELECT CORR(pay) FROM people;

-- refused: Q120 1:13
SELECT CORR(pay, city) FROM people;

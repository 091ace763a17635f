-- VARIANCE and STDDEV need squares, a sum and a count.
-- policy: census

-- accepted: squares 0..120 none 1; total 0..120 none 1; rows none 1
SELECT VARIANCE(age), STDDEV(age), AVG(age) FROM people;

-- accepted: squares 0..200000 none 1; total 0..200000 none 1; rows none 1; squares -1000..3000 none 1; total -1000..3000 none 1; rows none 1
SELECT VAR_POP(pay), STDDEV_SAMP(balance) FROM people;

-- accepted: squares 0..120 none 1; total 0..120 none 1; rows none 1; total 0..120 none 1
SELECT VAR_SAMP(age), SUM(age) FROM people;

-- refused: Q104 1:15
SELECT STDDEV(income) FROM people;

-- refused: Q111 1:8
SELECT KURTOSIS(age) FROM people;

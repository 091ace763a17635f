-- HISTOGRAM counts in equal parts of the range.
-- policy: census

-- accepted: rows none 1 by bucket(20)
SELECT HISTOGRAM(pay, 20) FROM people;

-- accepted: rows none 1 by sex(2), bucket(5)
SELECT sex, HISTOGRAM(age, 5) AS ages FROM people GROUP BY sex;

-- accepted: rows none 1 by bucket(4)
SELECT HISTOGRAM(CLIP(income, 0, 10), 4) FROM people WHERE smoker;

-- refused: Q104 1:8
SELECT HISTOGRAM(income, 20) FROM people;

-- refused: Q124 1:8
SELECT HISTOGRAM(age, 0) FROM people;

-- refused: Q124 1:8
SELECT HISTOGRAM(age, children) FROM people;

-- refused: Q117 1:8
SELECT HISTOGRAM(age) FROM people;

-- refused: Q129 1:8
SELECT HISTOGRAM(age, 5), COUNT(*) FROM people;

-- refused: Q129 1:18
SELECT HISTOGRAM(age, 5) + 1 FROM people;

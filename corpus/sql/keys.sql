-- Groups are known in advance, or chosen privately.
-- policy: census

-- accepted: rows none 1 by sex(2)
SELECT sex, COUNT(*) FROM people GROUP BY sex;

-- accepted: rows none 1 by s(2), smoker(2)
SELECT sex AS s, smoker, COUNT(*) FROM people GROUP BY s, 2;

-- accepted: rows none 1 by age(121), sex(2)
SELECT age, sex, COUNT(*) FROM people GROUP BY ALL;

-- accepted: rows none 1 by key(2), key_2(12)
SELECT COUNT(*) FROM people GROUP BY age < 18, MONTH(born);

-- accepted: nothing by city(?)
SELECT city, COUNT(*) FROM people GROUP BY city;

-- accepted: nothing by city(?), sex(2)
SELECT city, sex, COUNT(*) FROM people GROUP BY city, sex;

-- accepted: nothing by city(?)
SELECT DISTINCT city FROM people;

-- accepted: rows none 1 by odd(2)
SELECT 7 % 2 AS odd, COUNT(*) FROM people GROUP BY odd;

-- accepted: nothing by decade(?)
SELECT FLOOR(income / 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade;

-- accepted: nothing by about(?)
SELECT ROUND(income) - 1 AS about, COUNT(*) FROM people GROUP BY 1;

-- refused: Q133 1:65
SELECT ROUND(income, 2) AS about, COUNT(*) FROM people GROUP BY 1;

-- refused: Q133 1:46
SELECT income, COUNT(*) FROM people GROUP BY income;

-- refused: Q127 1:8
SELECT age, COUNT(*) FROM people GROUP BY sex;

-- refused: Q135 1:8
SELECT sex FROM people GROUP BY sex;

-- refused: Q127 1:38
SELECT COUNT(*) FROM people GROUP BY 2;

-- accepted: rows none 1 by sex(2)
SELECT COUNT(*) FROM people GROUP BY ROLLUP (sex);

-- refused: Q134 1:8
SELECT COUNT(*) FROM people GROUP BY CLIP(zip, 0, 9999), CLIP(children, 0, 999);

-- refused: Q114 1:38
SELECT COUNT(*) FROM people GROUP BY sexx;

-- refused: Q120 1:38
SELECT COUNT(*) FROM people GROUP BY seen, NULL;

-- accepted: rows none 1 by p(2)
SELECT SPLIT_PART(city, ' ', 1) AS p, COUNT(*) FROM people WHERE age > 20 AND SPLIT_PART(city, ' ', 1) IN ('New', 'San') GROUP BY 1;

-- accepted: rows none 1 by y(3)
SELECT YEAR(born) AS y, COUNT(*) FROM people WHERE YEAR(born) BETWEEN 1990 AND 1992 GROUP BY y;

-- accepted: nothing by p(?)
SELECT SPLIT_PART(city, ' ', 1) AS p, COUNT(*) FROM people WHERE SPLIT_PART(city, ' ', 2) IN ('New', 'San') GROUP BY 1;

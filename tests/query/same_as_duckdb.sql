-- Questions as people write them; each is asked of Lapwing without noise, and of DuckDB itself.

-- === over answers

-- words of keys beside the answer
SELECT city || ' town', UPPER(LEFT(city, 2)), TRIM(CONCAT(' ', city)), COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY city;

-- months of keys in words
SELECT STRFTIME(DATE_TRUNC('month', day), '%b %Y'), MONTH(DATE_TRUNC('month', day)), DAYNAME(DATE_TRUNC('month', day)), COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY DATE_TRUNC('month', day);

-- days of keys counted and moved
SELECT CAST(m + INTERVAL 1 MONTH AS DATE), DATE_DIFF('day', DATE '2024-01-01', m), YEAR(m), QUARTER(m), WEEK(m), DAY(m), DAYOFWEEK(m), CAST(DATE_TRUNC('year', m) AS DATE), n FROM (SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- keys that look alike
SELECT city, COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY city HAVING city ILIKE '%O%';

-- halves are rounded away from 0
SELECT city, ROUND(COUNT(*) / 2.0), ROUND(-COUNT(*) / 2.0), ROUND(COUNT(*) / 8.0, 2), ROUND(COUNT(*) * 5, -1) FROM people WHERE city IS NOT NULL GROUP BY city;

-- NULL is written after the noise
SELECT city, SUM(pay) / NULLIF(COUNT(*), 0), COALESCE(SUM(pay) / NULLIF(COUNT(*), 0), 0), CASE WHEN COUNT(*) > 2 THEN AVG(pay) END, CASE WHEN COUNT(*) < 0 THEN COUNT(*) END FROM people WHERE city IS NOT NULL GROUP BY city HAVING NULLIF(COUNT(*), 0) > 1;

-- a total beside each
SELECT city, COUNT(*), SUM(COUNT(*)) OVER () FROM people WHERE city IS NOT NULL GROUP BY city;

-- percent of total
SELECT city, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () FROM people WHERE city IS NOT NULL GROUP BY city;

-- percent of a part
SELECT city, sex, n / SUM(n) OVER (PARTITION BY city) FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex);

-- rank
SELECT city, RANK() OVER (ORDER BY COUNT(*) DESC) FROM people WHERE city IS NOT NULL GROUP BY city;

-- rank in parts
SELECT city, sex, DENSE_RANK() OVER (PARTITION BY city ORDER BY n DESC, sex) FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex);

-- row numbers
SELECT city, sex, ROW_NUMBER() OVER (ORDER BY city, sex DESC) FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex);

-- the month before
SELECT m, n - LAG(n) OVER (ORDER BY m), LEAD(n, 2, 0) OVER (ORDER BY m) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- a running total
SELECT m, SUM(n) OVER (ORDER BY m) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- a moving mean
SELECT m, AVG(n) OVER (ORDER BY m ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- rows behind
SELECT m, SUM(n) OVER (ORDER BY m ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- rows around
SELECT m, MAX(n) OVER (ORDER BY m ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- the rest
SELECT m, COUNT(*) OVER (ORDER BY m ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- ends
SELECT m, FIRST_VALUE(n) OVER w, LAST_VALUE(n) OVER w FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1) WINDOW w AS (ORDER BY m);

-- parts of many
SELECT m, NTILE(5) OVER (ORDER BY m), PERCENT_RANK() OVER (ORDER BY m) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- shares below
SELECT m, CUME_DIST() OVER (ORDER BY m), MIN(m) OVER () FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1);

-- windows over means
SELECT city, AVG(pay) - AVG(AVG(pay)) OVER () FROM people WHERE city IS NOT NULL GROUP BY city;

-- the best of each
SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex QUALIFY ROW_NUMBER() OVER (PARTITION BY city ORDER BY COUNT(*) DESC, sex) = 1;

-- qualify an alias
SELECT city, COUNT(*) AS n, RANK() OVER (ORDER BY city) AS r FROM people WHERE city IS NOT NULL GROUP BY city QUALIFY r <= 2;

-- having, then windows
SELECT city, SUM(COUNT(*)) OVER () FROM people WHERE city IS NOT NULL GROUP BY city HAVING COUNT(*) > 30;

-- mean of answers
SELECT AVG(n), MIN(n), MAX(n), COUNT(*), STDDEV_POP(n), MEDIAN(n) FROM (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city);

-- groups of answers
SELECT city, SUM(n) AS s, MAX(pay) FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex) GROUP BY city HAVING SUM(n) > 3;

-- groups by an expression
SELECT m <= 6 AS half, SUM(n), COUNT(*) FILTER (WHERE n > 5) FROM (SELECT MONTH(day) AS m, COUNT(*) AS n FROM people WHERE day IS NOT NULL GROUP BY 1) GROUP BY 1;

-- different ones
SELECT DISTINCT city FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex) ORDER BY city DESC;

-- count of different
SELECT COUNT(DISTINCT city), MAX(city) FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex);

-- cut, then more
SELECT SUM(n) FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex ORDER BY n DESC, city, sex LIMIT 3) WHERE n > 1;

-- windows of groups of answers
SELECT city, SUM(SUM(n)) OVER () FROM (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex) GROUP BY city;

-- windows over windows
SELECT c, SUM(r) OVER () FROM (SELECT city AS c, RANK() OVER (ORDER BY n) AS r FROM (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city));

-- a number from below
WITH q AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) SELECT city, n / (SELECT SUM(n) FROM q) FROM q;

-- above the mean
WITH q AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) SELECT city FROM q WHERE n > (SELECT AVG(n) FROM q);

-- texts of answers
SELECT UPPER(city), n FROM (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) WHERE city LIKE '%o%';

-- === several aggregates

-- a number from another table
SELECT COUNT(*) / (SELECT COUNT(*) FROM visits) FROM people;

-- more than a part of all
SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city HAVING COUNT(*) > (SELECT COUNT(*) / 4 FROM people);

-- more than the mean, in WHERE
SELECT city FROM (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) WHERE n > (SELECT COUNT(*) / 4 FROM people);

-- union all
SELECT 'people' AS t, COUNT(*) AS n FROM people UNION ALL SELECT 'visits', COUNT(*) FROM visits;

-- three of them
SELECT 1 AS k, COUNT(*) FROM people UNION ALL SELECT 2, SUM(age) FROM people UNION ALL (SELECT 3, COUNT(*) FROM visits);

-- union, ordered
SELECT 'p' AS t, COUNT(*) AS n FROM people UNION ALL SELECT 'v', COUNT(*) FROM visits ORDER BY n DESC;

-- union of the same
SELECT COUNT(*) FROM people UNION SELECT COUNT(*) FROM people;

-- a sum of a union
SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM people UNION ALL SELECT COUNT(*) FROM visits);

-- rollup
SELECT city, sex, COUNT(*) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY ROLLUP (city, sex);

-- rollup of places
SELECT city, sex, AVG(pay) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY ROLLUP (1, 2);

-- rollup of an alias
SELECT age >= 50 AS old, SUM(pay) FROM people WHERE age IS NOT NULL GROUP BY ROLLUP (old);

-- rollup beside a key
SELECT city, sex, COUNT(*) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, ROLLUP (sex);

-- rollup with having
SELECT city, COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY ROLLUP (city) HAVING COUNT(*) > 50;

-- cube
SELECT city, sex, COUNT(*), GROUPING(city, sex) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY CUBE (city, sex);

-- grouping sets
SELECT city, sex, COUNT(*) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY GROUPING SETS ((city), (sex), ());

-- pairs in sets
SELECT city, sex, COUNT(*) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY GROUPING SETS ((city, sex), (sex), ());

-- rollup, coalesced
SELECT COALESCE(city, 'all'), COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY ROLLUP (city);

-- join of answers
WITH a AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city), b AS (SELECT city, AVG(pay) AS m FROM people WHERE city IS NOT NULL GROUP BY city) SELECT a.city, n, m FROM a JOIN b ON a.city = b.city;

-- join by comma
WITH a AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city), b AS (SELECT city, AVG(pay) AS m FROM people WHERE city IS NOT NULL GROUP BY city) SELECT a.city, n * m FROM a, b WHERE a.city = b.city;

-- join with itself
WITH a AS (SELECT city, sex, COUNT(*) AS n, AVG(pay) AS pay FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex) SELECT f.city, f.n / m.n FROM a f JOIN a m USING (city) WHERE f.sex = 'f' AND m.sex = 'm';

-- left join of answers
WITH a AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city), b AS (SELECT city, AVG(pay) AS m FROM people WHERE city IS NOT NULL GROUP BY city), c AS (SELECT * FROM a WHERE n > 40) SELECT b.city, c.n FROM b LEFT JOIN c USING (city);

-- full join of answers
WITH a AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city), b AS (SELECT city, AVG(pay) AS m FROM people WHERE city IS NOT NULL GROUP BY city), c AS (SELECT * FROM a WHERE n > 40), d AS (SELECT * FROM b WHERE city <> 'Rome') SELECT c.city, d.city FROM c FULL JOIN d ON c.city = d.city;

-- cross join of one
WITH a AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city), b AS (SELECT city, AVG(pay) AS m FROM people WHERE city IS NOT NULL GROUP BY city) SELECT * FROM a CROSS JOIN (SELECT SUM(n) AS total FROM a) t;

-- join on more
WITH a AS (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city), b AS (SELECT city, AVG(pay) AS m FROM people WHERE city IS NOT NULL GROUP BY city) SELECT x.city, y.city FROM a x JOIN a y ON x.n < y.n;

-- === sub-queries and joins

-- tables by commas
SELECT COUNT(*) FROM people, towns WHERE city = town AND size > 2;

-- public first
SELECT country, COUNT(*) FROM towns, people WHERE city = town AND country <> 'UA' GROUP BY country;

-- in a public list
SELECT COUNT(*) FROM people WHERE city IN (SELECT town FROM towns WHERE size > 2);

-- not in a public list
SELECT COUNT(*) FROM people WHERE city NOT IN (SELECT town FROM towns WHERE size > 2);

-- exists, compared
SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT * FROM towns t WHERE t.town = p.city AND t.low <= p.age);

-- not exists
SELECT COUNT(*) FROM people p WHERE NOT EXISTS (SELECT 1 FROM towns WHERE town = city AND age BETWEEN low AND high);

-- in the same person's
SELECT COUNT(*) FROM people WHERE person IN (SELECT guest FROM visits WHERE nights > 3);

-- not in the same person's
SELECT COUNT(*) FROM people WHERE person NOT IN (SELECT guest FROM visits WHERE nights > 3);

-- exists later
SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.guest = p.person AND v.came > p.day);

-- a range join
SELECT country, COUNT(*) FROM people JOIN towns ON age BETWEEN low AND high WHERE country <> 'UA' GROUP BY country;

-- left join with a condition
SELECT COUNT(*), COUNT(country) FROM people LEFT JOIN towns ON city = town AND size > 2;

-- left join by a range
SELECT COUNT(*), COUNT(town) FROM people LEFT JOIN towns ON age >= low AND age <= high;

-- left join of a person's with a condition
SELECT COUNT(*), COUNT(room) FROM people LEFT JOIN visits ON person = guest AND nights > 3;

-- conditions on both sides
SELECT COUNT(*), COUNT(room) FROM people p LEFT JOIN visits v ON p.person = v.guest AND v.came >= p.day AND p.age > 30;

-- commas between private tables
SELECT COUNT(*) FROM people, visits WHERE person = guest AND came < day;

-- in inside CASE
SELECT SUM(CASE WHEN city IN (SELECT town FROM towns WHERE size > 2) THEN 1 ELSE 0 END) AS n FROM people;

-- exists inside FILTER
SELECT COUNT(*) FILTER (WHERE EXISTS (SELECT 1 FROM visits WHERE guest = person)) FROM people;

-- cross join
SELECT COUNT(*) FROM people CROSS JOIN towns;

-- a public sub-query
SELECT COUNT(*) FROM people JOIN (SELECT town, size * 2 AS twice FROM towns WHERE size > 2) t ON city = town WHERE twice > 8;

-- in a named sub-query
WITH big AS (SELECT town FROM towns WHERE size > 2) SELECT COUNT(*) FROM people WHERE city IN (SELECT town FROM big);

-- pairs among others
SELECT COUNT(*) FROM people WHERE (person, city) IN (SELECT guest, 'Oslo' FROM visits);

-- in a grouped sub-query
SELECT COUNT(*) FROM people WHERE person IN (SELECT guest FROM visits GROUP BY guest HAVING SUM(nights) > 8);

-- not in, of nearly all
SELECT COUNT(*) FROM people WHERE pay > 10 AND city NOT IN (SELECT town FROM towns WHERE town <> 'Rome');

-- public tables twice
SELECT COUNT(*) FROM towns a, towns b, people WHERE a.town = city AND b.size < a.size;

-- exists as a key
SELECT EXISTS (SELECT 1 FROM visits WHERE guest = person AND nights > 2) AS v, COUNT(*) FROM people GROUP BY 1;

-- three tables by commas
SELECT COUNT(*) FROM people p, visits v, towns t WHERE p.person = v.guest AND t.town = p.city AND v.nights < t.size;

-- in beside or
SELECT COUNT(*) FROM people WHERE city = 'Oslo' OR city IN (SELECT town FROM towns WHERE size > 5);

-- in as a key
SELECT city IN (SELECT town FROM towns WHERE size > 2 AND town IS NOT NULL) AS big, COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY big;

-- not of or of in
SELECT AVG(age) FROM people WHERE NOT (city IN (SELECT town FROM towns WHERE size > 2) OR age < 20);

-- === statistics, and numbers for each person

-- lines and correlations
SELECT CORR(pay, age), COVAR_POP(pay, age), REGR_SLOPE(pay, age), REGR_INTERCEPT(pay, age), REGR_R2(pay, age), REGR_COUNT(pay, age) FROM people;

-- correlations in groups
SELECT sex, CORR(age, pay), COVAR_POP(age, age) FROM people WHERE sex IS NOT NULL GROUP BY sex;

-- different values and any of a person
SELECT AVG(n), SUM(CASE WHEN b THEN 1 ELSE 0 END), COUNT_IF(e) FROM (SELECT person, COUNT(DISTINCT city) AS n, BOOL_OR(member) AS b, BOOL_AND(age > 20) AS e FROM people GROUP BY person) WHERE n BETWEEN 0 AND 5;

-- a slope of few
SELECT REGR_SLOPE(cost, nights) FROM visits WHERE room = 'a';

-- === words on rows

-- logarithms
SELECT SUM(LN(pay + 1)), SUM(LOG10(pay + 1)), SUM(LOG(pay + 1)), SUM(LOG2(age + 1)) FROM people;

-- powers
SELECT SUM(EXP(age / 20.0)), SUM(POWER(pay, 0.5)), SUM(POWER(age, 2)) FROM people;

-- a regular expression
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(name, '^[A-Z][a-z]+');

-- one of two
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(name, 'r|x') AND NOT REGEXP_MATCHES(name, '\d');

-- all of a text
SELECT COUNT(*) FROM people WHERE name SIMILAR TO '[A-Za-z]+' OR name ~ 'x.y';

-- blanks
SELECT COUNT(*) FROM people WHERE REGEXP_FULL_MATCH(name, '\s*dora\s*');

-- not similar
SELECT COUNT(*) FROM people WHERE name NOT SIMILAR TO 'A.*';

-- a logarithm of answers
SELECT city, LN(COUNT(*)) FROM people WHERE city IS NOT NULL GROUP BY city;

-- repeats
SELECT COUNT(*) FROM people WHERE REGEXP_MATCHES(name, 'o{2}|t+o$');

-- letters
SELECT COUNT(*) FROM people WHERE TRIM(name) ILIKE 'D%' OR UPPER(LEFT(name, 1)) = 'B' OR name || '!' = 'Anna!';

-- months by dates
SELECT DATE_TRUNC('month', day) AS m, COUNT(*) FROM people WHERE day >= '2020-06-01' AND day < '2020-09-01' GROUP BY 1;

-- quarters and weeks
SELECT QUARTER(day), WEEK(day), COUNT(*) FROM people WHERE day IS NOT NULL AND WEEK(day) < 3 GROUP BY 1, 2 HAVING COUNT(*) > 0;

-- hours
SELECT HOUR(seen) AS h, COUNT(*) AS n FROM people WHERE seen IS NOT NULL GROUP BY 1 HAVING COUNT(*) > 0;

-- days later, and between
SELECT COUNT(*) FROM people WHERE day + INTERVAL 1 MONTH > DATE '2021-01-31' AND DATEDIFF('day', day, DATE '2021-12-31') > 30;

-- decimals
SELECT AVG(CAST(pay AS DECIMAL(10, 1))), SUM(CAST(age AS DOUBLE)) FROM people;

-- parts of dates
SELECT COUNT(*) FROM people WHERE DATE_PART('dow', day) IN (0, 6) OR EXTRACT(QUARTER FROM day) = 2;

-- === words that are short for others

-- months as texts
SELECT STRFTIME(day, '%Y-%m') AS ym, COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY ym HAVING COUNT(*) > 0;

-- a format with names, its day second
SELECT COUNT_IF(STRFTIME('%d %B %Y %A', day) = '03 March 2020 Tuesday'), COUNT_IF(STRFTIME(seen, '%Y-%m-%d %H:%M:%S') > '2020-07-01 10:00:00') FROM people;

-- names of days and months
SELECT DAYNAME(day), MONTHNAME(day), COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY 1, 2 HAVING COUNT(*) > 0;

-- days added and subtracted
SELECT COUNT_IF(day > DATE '2021-12-31' - 90), COUNT_IF(day - 90 > '2020-10-10'), COUNT_IF(90 + day > '2020-10-10') FROM people;

-- days between dates
SELECT AVG(came - day), COUNT_IF(came - day > 30) FROM people JOIN visits ON person = guest;

-- a number beside a text
SELECT 'Q' || QUARTER(day) AS q, YEAR(day) || '-' || MONTH(day) AS ym, COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY q, ym HAVING COUNT(*) > 0;

-- decades as texts
SELECT CAST(FLOOR(age / 10) * 10 AS INT) || 's' AS decade, COUNT(*) FROM people WHERE age IS NOT NULL GROUP BY decade HAVING COUNT(*) > 0;

-- an alias in a window of qualify
SELECT city, sex, COUNT(*) AS n FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex QUALIFY RANK() OVER (PARTITION BY city ORDER BY n DESC) <= 1;

-- an alias in what follows
SELECT city, COUNT(*) AS n, n * 2 AS d, RANK() OVER (ORDER BY n DESC) AS r FROM people WHERE city IS NOT NULL GROUP BY city;

-- one of a list
SELECT COUNT(*) FROM people WHERE city = ANY(['Oslo', 'Bonn']);

-- parts of texts
SELECT COUNT(*) FROM people WHERE STARTS_WITH(name, 'A') OR CONTAINS(name, '%') OR ENDS_WITH(name, 'to') OR PREFIX(name, 'x%') OR SUFFIX(name, '_');

-- places in texts
SELECT COUNT_IF(STRPOS(name, 'a') > 0), COUNT_IF(POSITION('a' IN name) = 0), COUNT_IF(INSTR(name, '%') >= 1) FROM people;

-- pairs
SELECT COUNT_IF((city, sex) IN (('Oslo', 'f'), ('Rome', 'm'))), COUNT_IF((city, sex) = ('Oslo', 'f')) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL;

-- comparisons that know NULL
SELECT COUNT_IF(age IS DISTINCT FROM 33), COUNT_IF(age IS NOT DISTINCT FROM NULL), COUNT_IF(city IS NOT DISTINCT FROM sex) FROM people;

-- texts put together
SELECT CONCAT(city, '-', sex) AS r, COUNT(*) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY r HAVING COUNT(*) > 0;

-- texts and numbers put together
SELECT COUNT_IF(CONCAT(city, age) = 'Oslo33'), COUNT_IF(CONCAT(city, age) = '33') FROM people;

-- signs
SELECT SIGN(age - 50) AS s, COUNT(*) FROM people WHERE age IS NOT NULL GROUP BY s HAVING COUNT(*) > 0;

-- towards zero
SELECT CAST(TRUNC((age - 50) / 20) AS INT) AS s, CAST(TRUNC(pay / 500) AS INT) AS t, COUNT(*) FROM people WHERE age IS NOT NULL AND pay IS NOT NULL GROUP BY s, t HAVING COUNT(*) > 0;

-- hundreds
SELECT ROUND(pay, -2) AS s, COUNT(*) FROM people WHERE pay IS NOT NULL GROUP BY s HAVING COUNT(*) > 0;

-- the last day of a month
SELECT COUNT_IF(LAST_DAY(day) = '2020-02-29'), COUNT_IF(LAST_DAY(day) > '2020-11-30') FROM people;

-- last days of months as keys
SELECT LAST_DAY(day), COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY 1;

-- first days of the next quarter as keys
SELECT DATE_TRUNC('quarter', day) + INTERVAL 3 MONTH AS q, COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY q;

-- further parts of days
SELECT AVG(DAYOFYEAR(day)), AVG(ISODOW(day)), AVG(WEEKOFYEAR(day)), AVG(EXTRACT(doy FROM day)), AVG(DATE_PART('isodow', day)), AVG(DATEPART('quarter', day)) FROM people;

-- months and years between dates
SELECT AVG(DATE_DIFF('month', day, DATE '2022-05-05')), AVG(DATE_DIFF('year', day, DATE '2022-05-05')), AVG(DATE_DIFF('quarter', day, DATE '2022-05-05')) FROM people;

-- intervals in other places
SELECT COUNT_IF(DATE_ADD(day, INTERVAL 10 DAY) > '2021-01-01'), COUNT_IF(INTERVAL 10 DAY + day > '2021-01-01'), COUNT_IF(day + INTERVAL '-10 days' > '2021-01-01') FROM people;

-- the days of a month
SELECT day, COUNT(*) FROM people WHERE day >= DATE '2020-06-01' AND day < DATE '2020-06-01' + INTERVAL 1 MONTH GROUP BY day HAVING COUNT(*) > 0;

-- a date as text
SELECT day::text AS t, COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY t HAVING COUNT(*) > 0;

-- the first rows of answers
SELECT city, COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY city ORDER BY ALL FETCH FIRST 2 ROWS ONLY;

-- different values, approximately
SELECT APPROX_COUNT_DISTINCT(city), COUNT(DISTINCT city || ' ' || sex) FROM people;

-- === each person's own rows

-- the median of each person
SELECT AVG(m) FROM (SELECT person, MEDIAN(age) AS m FROM people GROUP BY person);

-- the value at the first day of each person
SELECT AVG(d) FROM (SELECT person, ARG_MIN(age, day) AS d FROM people GROUP BY person);

-- the value at the largest of each person
SELECT AVG(d) FROM (SELECT person, MAX_BY(age, pay) AS d FROM people GROUP BY person);

-- first by time
SELECT AVG(d) FROM (SELECT person, FIRST(age ORDER BY seen) AS d FROM people WHERE seen IS NOT NULL GROUP BY person);

-- last by time
SELECT city, COUNT(*) FROM (SELECT person, LAST(city ORDER BY seen) AS city FROM people WHERE seen IS NOT NULL GROUP BY person) WHERE city IS NOT NULL GROUP BY city;

-- several first values
SELECT COUNT(*), AVG(a) FROM (SELECT person, FIRST(age ORDER BY seen DESC) AS a, ARG_MAX(pay, seen) AS p, COUNT(*) AS n FROM people WHERE seen IS NOT NULL GROUP BY person) WHERE p > 300;

-- having a last value
SELECT COUNT(*) FROM (SELECT person FROM people GROUP BY person HAVING ARG_MAX(age, seen) > 40);

-- the first row of each person
SELECT COUNT(*), AVG(age) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen) AS rn FROM people) WHERE rn = 1;

-- the first two rows of each person
SELECT COUNT(*), AVG(age) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen DESC, pay) AS rn FROM people) t WHERE t.rn <= 2 AND age > 30;

-- numbered in WITH
WITH r AS (SELECT person, city, pay, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen DESC NULLS LAST) AS n FROM people) SELECT city, COUNT(*), AVG(pay) FROM r WHERE n < 2 AND city IS NOT NULL GROUP BY city;

-- qualify by a number
SELECT city, COUNT(*) FROM (SELECT * FROM people QUALIFY ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen DESC) = 1) WHERE city is not null GROUP BY city;

-- qualify by its name
SELECT city, COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen DESC) AS rn FROM people QUALIFY rn = 1) WHERE city is not null GROUP BY city;

-- distinct on the person
SELECT city, COUNT(*) FROM (SELECT DISTINCT ON (person) person, city FROM people ORDER BY person, seen) WHERE city is not null GROUP BY city;

-- the first of each pair
SELECT COUNT(*) FROM (SELECT person, sex, ROW_NUMBER() OVER (PARTITION BY person, sex ORDER BY seen) AS rn FROM people) WHERE 1 = rn;

-- a median under a filter
SELECT AVG(p) FROM (SELECT person, MEDIAN(pay) FILTER (WHERE age > 30) AS p FROM people GROUP BY person);

-- a first value under a filter
SELECT AVG(p) FROM (SELECT person, ARG_MIN(pay, seen) FILTER (WHERE age > 30) AS p FROM people GROUP BY person);

-- numbered rows among public ones
SELECT COUNT(*), AVG(size) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen) AS rn FROM people) a, towns WHERE rn = 1 AND city = town;

-- numbered rows joined with public ones
SELECT COUNT(*), AVG(size) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen) AS rn FROM people) a JOIN towns ON city = town WHERE a.rn = 1 AND size < 5;

-- numbered rows with public ones or none
SELECT COUNT(*), AVG(size) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen) AS rn FROM people) a LEFT JOIN towns ON city = town AND size < 5 WHERE rn = 1;

-- two kinds of numbered rows
WITH a AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY seen) AS rn FROM people), b AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY guest ORDER BY cost DESC, came) AS rn FROM visits) SELECT COUNT(*), AVG(cost) FROM a JOIN b ON a.person = b.guest WHERE a.rn = 1 AND b.rn <= 1;

-- === texts put together and taken apart

-- a separator between texts
SELECT COUNT(*) FROM people WHERE CONCAT_WS('-', city, sex) = 'Bonn-f';

-- a separator, and NULLs left out
SELECT COUNT(*) FROM people WHERE CONCAT_WS(', ', name, city, age) = 'Anna, Bonn';

-- an empty separator
SELECT COUNT(*) FROM people WHERE CONCAT_WS('', name, city) = 'AnnaBonn';

-- nothing between separators
SELECT COUNT(*) FROM people WHERE CONCAT_WS('-', city, sex) = '';

-- a per cent sign that is meant
SELECT COUNT(*) FROM people WHERE name LIKE 'x!%y' ESCAPE '!';

-- none of those
SELECT COUNT(*) FROM people WHERE name NOT LIKE '%!%%' ESCAPE '!';

-- === parts of an hour

-- minutes
SELECT COUNT(*) FROM people WHERE MINUTE(seen) < 30;

-- minutes by their part
SELECT COUNT(*) FROM people WHERE DATE_PART('minute', seen) = 15 AND EXTRACT(second FROM seen) = 0;

-- === spreads of answers

-- of a sample and of all
SELECT VARIANCE(n), STDDEV(n), VAR_SAMP(n), STDDEV_SAMP(n), VAR_POP(n), STDDEV_POP(n) FROM (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city);

-- so far
SELECT city, STDDEV(COUNT(*)) OVER (ORDER BY city), VAR_POP(COUNT(*)) OVER (ORDER BY city) FROM people WHERE city IS NOT NULL GROUP BY city;

-- === other spellings of one question

-- semi join
SELECT COUNT(*) FROM people p SEMI JOIN visits v ON p.person = v.guest AND v.nights > 3;

-- anti join
SELECT COUNT(*) FROM people p ANTI JOIN visits v ON p.person = v.guest;

-- anti join of a public table
SELECT COUNT(*) FROM people p ANTI JOIN towns t ON p.city = t.town AND t.size > 2;

-- anti join using
SELECT COUNT(*) FROM people ANTI JOIN (SELECT guest AS person, nights FROM visits) USING (person) WHERE age > 20;

-- semi join of rows without a name
SELECT COUNT(*) FROM (SELECT * FROM people WHERE age > 20) SEMI JOIN (SELECT guest AS person FROM visits) USING (person);

-- semi join behind a join
SELECT COUNT(*) FROM people JOIN towns ON city = town SEMI JOIN visits ON guest = person AND nights > 2;

-- natural join of a public table
SELECT COUNT(*), SUM(size) FROM people NATURAL JOIN (SELECT town AS city, size FROM towns);

-- natural left join
SELECT AVG(size) FROM people NATURAL LEFT JOIN (SELECT town AS city, size FROM towns);

-- natural join of one person's rows
SELECT COUNT(*) FROM people NATURAL JOIN (SELECT guest AS person, nights FROM visits) WHERE nights > 2;

-- natural join of answers
SELECT a.city, n, m FROM (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) a NATURAL JOIN (SELECT city, AVG(age) AS m FROM people WHERE city IS NOT NULL GROUP BY city) b;

-- right join of one person's rows
SELECT COUNT(*), COUNT(nights), COUNT(age) FROM visits v RIGHT JOIN people p ON v.guest = p.person;

-- right outer join, the other way
SELECT COUNT(*) FROM people RIGHT OUTER JOIN visits ON guest = person WHERE nights > 1;

-- right join behind a public table
SELECT country, COUNT(*) FROM towns RIGHT JOIN people ON town = city WHERE country IN ('DE', 'NO') GROUP BY country;

-- star with another column
SELECT SUM(age) FROM (SELECT * REPLACE (age + 1 AS age) FROM people);

-- star of a table with another column
SELECT SUM(age) FROM (SELECT p.* REPLACE (LEAST(p.age, 50) AS age) FROM people p);

-- star without columns
SELECT SUM(age) FROM (SELECT * EXCLUDE (pay, name) FROM people) WHERE sex = 'f';

-- star without one and with another
SELECT SUM(age) FROM (SELECT * EXCLUDE pay REPLACE (age * 2 AS age) FROM people);

-- star with another name
SELECT SUM(old) FROM (SELECT * RENAME (age AS old) FROM people);

-- star of answers
SELECT * EXCLUDE (sex) REPLACE (n + 1 AS n) FROM (SELECT city, sex, COUNT(*) AS n FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex);

-- star of answers in a window
SELECT * EXCLUDE (sex) FROM (SELECT city, sex, COUNT(*) AS n FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY city, sex) QUALIFY ROW_NUMBER() OVER (ORDER BY city, sex) < 4;

-- any of a sub-query
SELECT COUNT(*) FROM people WHERE person = ANY (SELECT guest FROM visits WHERE nights > 2);

-- some of a sub-query
SELECT COUNT(*) FROM people WHERE person = SOME (SELECT guest FROM visits WHERE nights > 2);

-- different from all of a sub-query
SELECT COUNT(*) FROM people WHERE person <> ALL (SELECT guest FROM visits);

-- a count of the person's rows
SELECT COUNT(*) FROM people p WHERE (SELECT COUNT(*) FROM visits v WHERE v.guest = p.person) >= 2;

-- some rows of the person
SELECT COUNT(*) FROM people p WHERE 0 < (SELECT COUNT(*) FROM visits v WHERE v.guest = p.person);

-- few rows of the person
SELECT COUNT(*) FROM people p WHERE (SELECT COUNT(*) FROM visits v WHERE v.guest = p.person) < 2 AND age > 20;

-- no such rows of the person
SELECT COUNT(*) FROM people p WHERE (SELECT COUNT(*) FROM visits v WHERE v.guest = p.person AND v.nights > 3) = 0;

-- the person's largest
SELECT COUNT(*) FROM people p WHERE (SELECT MAX(v.nights) FROM visits v WHERE v.guest = p.person) > 4;

-- the person's sum
SELECT COUNT(*) FROM people p WHERE (SELECT SUM(cost) FROM visits v WHERE v.guest = p.person) > 100.5;

-- among a union
SELECT COUNT(*) FROM people WHERE person IN (SELECT guest FROM visits WHERE nights > 2 UNION SELECT guest FROM visits WHERE room = 'a');

-- not among a union
SELECT COUNT(*) FROM people WHERE person NOT IN (SELECT guest FROM visits WHERE nights > 2 UNION ALL SELECT guest FROM visits WHERE room = 'a');

-- exists with a limit
SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT v.guest FROM visits v WHERE p.person = v.guest ORDER BY v.nights LIMIT 1);

-- === large numbers

-- a limit of all
SELECT city, COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY city LIMIT 9223372036854775807 OFFSET 0;

-- a limit of all answers
SELECT * FROM (SELECT city, COUNT(*) AS n FROM people WHERE city IS NOT NULL GROUP BY city) LIMIT 1000000000000000000;

-- === numbers in quotes

-- a whole number
SELECT COUNT(*), COUNT_IF(age < '50') FROM people WHERE age > '30' AND '20' <> age;

-- a real number
SELECT COUNT(*) FROM people WHERE pay BETWEEN '10' AND '700.5';

-- several
SELECT COUNT(*) FROM people WHERE age IN ('30', '31', '32', 33);

-- parts of texts
SELECT COUNT_IF(SPLIT_PART(name, 'a', 2) = ''), COUNT_IF(SPLIT_PART(city || '.' || sex, '.', 2) = 'f'), COUNT_IF(SPLIT_PART(city, 'o', 1) = 'B') FROM people;

-- texts in texts
SELECT COUNT_IF(REPLACE(city, 'o', '00') = 'B00nn'), COUNT_IF(REPLACE(name, 'a', '') = name), COUNT_IF(RIGHT(city, 2) = 'lo'), COUNT_IF(RIGHT(name, 100) = name) FROM people;

-- groups by parts of known keys
SELECT RIGHT(city, 1) AS r, REPLACE(sex, 'f', 'women') AS s, COUNT(*) FROM people WHERE city IS NOT NULL AND sex IS NOT NULL GROUP BY 1, 2 HAVING COUNT(*) > 0;

-- the same over answers
SELECT SPLIT_PART(city, 'o', 1), REPLACE(city, 'o', '0'), RIGHT(city, 3), COUNT(*) FROM people WHERE city IS NOT NULL GROUP BY city;

-- hours, minutes and seconds between
SELECT SUM(LEAST(GREATEST(DATE_DIFF('hour', TIMESTAMP '2020-03-01 10:30:00', seen), -50000), 50000)), SUM(LEAST(GREATEST(DATE_DIFF('minute', TIMESTAMP '2020-03-01 10:30:20', seen), -3000000), 3000000)), SUM(LEAST(GREATEST(DATE_DIFF('second', day, seen), -99999999), 99999999)) FROM people WHERE seen IS NOT NULL AND day IS NOT NULL;

-- seconds of a difference
SELECT SUM(LEAST(GREATEST(EXTRACT(EPOCH FROM (seen - TIMESTAMP '2020-03-01 10:30:20')), -99999999), 99999999)), COUNT_IF(DATE_PART('epoch', DATE_TRUNC('second', seen)) > 1600000000) FROM people WHERE seen IS NOT NULL AND DATE_TRUNC('second', seen) = seen;

-- how long it took
SELECT COUNT_IF(seen - TIMESTAMP '2020-03-01' > INTERVAL 90 DAY), COUNT_IF(INTERVAL 30 HOUR >= seen - TIMESTAMP '2020-03-01'), COUNT_IF(TIMESTAMP '2020-09-01' - seen <= INTERVAL '2 weeks') FROM people WHERE seen IS NOT NULL AND DATE_TRUNC('second', seen) = seen;

-- the hours of some days
SELECT STRFTIME(DATE_TRUNC('hour', seen), '%Y-%m-%d %H:%M:%S') AS h, COUNT(*) FROM people WHERE seen IS NOT NULL AND STRFTIME(DATE_TRUNC('hour', seen), '%Y-%m-%d %H:%M:%S') IN ('2020-05-05 10:00:00', '2020-05-05 11:00:00') GROUP BY 1 HAVING COUNT(*) > 0;

-- moments cut off
SELECT COUNT_IF(DATE_TRUNC('hour', seen) = seen), COUNT_IF(DATE_TRUNC('minute', seen) < TIMESTAMP '2020-07-01 10:01:00'), COUNT_IF(DATE_TRUNC('second', seen) = seen) FROM people;

-- buckets of time
SELECT CAST(TIME_BUCKET(INTERVAL 1 MONTH, day) AS DATE) AS m, COUNT(*) FROM people WHERE day IS NOT NULL GROUP BY 1 HAVING COUNT(*) > 0;

-- weeks as buckets
SELECT CAST(TIME_BUCKET(INTERVAL '7 days', day) AS DATE) AS w, COUNT(*) FROM people WHERE day BETWEEN '2020-02-01' AND '2020-06-30' GROUP BY 1 HAVING COUNT(*) > 0;

-- keys that are left
SELECT city, COUNT(*) FROM people WHERE city NOT IN ('Rome', 'Bonn') GROUP BY city;

-- keys that are left in other words
SELECT city, sex, COUNT(*) FROM people WHERE NOT (city = 'Rome') AND NOT sex <> 'f' GROUP BY city, sex HAVING COUNT(*) > 0;

-- hours of keys
SELECT HOUR(h), COUNT(*) FROM (SELECT DATE_TRUNC('hour', seen) AS h, COUNT(*) AS n FROM people WHERE seen >= '2020-01-01' AND seen < '2020-12-31' GROUP BY 1) WHERE n > 0 GROUP BY 1;

-- days that were moved as groups
SELECT CAST(day + INTERVAL 3 DAY AS DATE) AS d, COUNT(*) FROM people WHERE day BETWEEN '2020-03-01' AND '2020-08-31' GROUP BY 1 HAVING COUNT(*) > 0;

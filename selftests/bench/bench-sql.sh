# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The statements that sqlite3 executes for benches and for pays.sh; to be sourced.

# sql ROWS: its tables get larger with that
sql()
{
	local rows=$1

	cat <<- END
	create table t(a integer primary key, b text, c real);
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 8 * $rows)
	insert into t select i, printf('%x-%d', i * 7919 % 10007, i), i * 0.37 from n;
	select count(*), sum(c), max(b) from t where b like '%9%';
	create index tb on t(b);
	select a.b, count(*) from t a join t b on a.a = b.a * 3 group by substr(a.b, 1, 1)
		order by 2 desc limit 5;
	with recursive m(a, b, n) as (select 1, 1, 0 union all
		select b, (a * 31 + b) % 65521, n + 1 from m where n < 4 * $rows)
	select a % 97, count(*), group_concat(b % 10, '') from m group by 1 order by 2, 1;
	update t set b = replace(upper(b), 'A', 'xyz') where a % 3 = 0;
	select substr(b, 1, 2), avg(c), min(a) from t group by 1 order by 1;
	END
}

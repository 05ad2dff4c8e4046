#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pays.sh	what a profile of csflow pgo is worth: three programs for AArch64, made anew with it by clang and
#		by BOLT, and with profiles of instrumented builds; prints a table of the branches that each
#		takes, with the input of the training, and with another.  Fails if the gain is below its
#		limits, see the end; ends with 4 if something that it needs is not here.
# pays.sh STEP	one step of that, see pays.mk
#
# Sources and libraries for AArch64 come from Debian, once; they and all that is made are in
# $O/pays.  The next run does not make it again.  On two processors it takes three minutes to a
# quarter of an hour; PROGRAMS=json: only that.  The table is in Documentation/user/pgo.rst.
cd "$(dirname "$0")/.." || exit 1
. bench/bench-sql.sh
. bench/bench-gain.sh
export LC_ALL=C QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
: "${O:=../build}"
csflow=$(realpath "${CSFLOW_FAST:-$O/csflow}")
here=$PWD
pays=$here/bench/pays.sh
mkdir -p "$O/pays" && cd "$O/pays" || exit 1
dir=$PWD
export O=${dir%/*} CSFLOW_FAST=$csflow
llvm=/usr/lib/llvm-19

# ---------------------------------------------------------------- what Debian has

# debian COMMAND...: apt-get for AArch64
debian()
{
	local state=$dir/apt.arm64

	mkdir -p "$state"
	for suite in "debian bookworm" "debian bookworm-updates" "debian-security bookworm-security"; do
		printf 'deb%s http://deb.debian.org/%s main\n' "" "$suite" -src "$suite"
	done > "$state/sources.list"
	apt_in "$state" "$dir/log" "$@"
}

unpack()
{
	[ -e unpacked ] && return
	: > log
	rm -rf sources root && mkdir sources root
	debian update
	(cd root && debian download libclang-rt-19-dev libbolt-19-dev) || exit
	for deb in root/*.deb; do
		dpkg-deb -x "$deb" root || exit 1
	done
	(cd sources && debian source --download-only sqlite3 && debian source --download-only lua5.4) || exit
	for tar in sources/*.orig.tar.*; do
		tar -xf "$tar" -C sources || exit 1
	done
	mv sources/sqlite3-* sources/sqlite && mv sources/lua-* sources/lua || exit 1
	sqlite_source sources/sqlite "$dir/log"
	rm sources/lua/src/luac.c
	# clang looks beside its own headers for the libraries of instrumentation.
	mkdir -p resource/lib && ln -sfn $llvm/lib/clang/19/include resource/include &&
		ln -sfn "$dir/root$llvm/lib/clang/19/lib/linux" resource/lib/linux || exit 1
	touch unpacked
}

# ---------------------------------------------------------------- inputs

make_inputs()
{
	sql 375 > sqlite.same
	cat > sqlite.other <<- END
	create table item(id integer primary key, name text not null, price int, shelf int);
	create table shelf(id integer primary key, room text, unique(room, id));
	create table log(item, was, now);
	create view dear as select name, price from item where price > 900;
	create trigger moved after update of shelf on item
		begin insert into log values(new.id, old.shelf, new.shelf); end;
	begin;
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)
	insert into shelf select i, case i % 3 when 0 then 'north' when 1 then 'east' else 'west' end from n;
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
	insert into item select i, 'item ' || (i * 37 % 1009), (i * 48271) % 1000, i % 40 + 1 from n;
	commit;
	create index by_shelf on item(shelf, price);
	update item set shelf = shelf % 7 + 1 where price between 300 and 400;
	select room, count(*), total(price) from item join shelf on shelf.id = item.shelf
		group by room having count(*) > 3 order by 3 desc;
	select name from dear union select name from item where id in
		(select item from log where now = 3) order by 1 limit 20;
	select id, sum(price) over (partition by shelf order by id
		rows between 2 preceding and current row) from item where id % 50 = 0;
	delete from item where exists (select 1 from log where log.item = item.id);
	select count(*), group_concat(distinct room) from shelf
		left join item on item.shelf = shelf.id where item.id is null;
	select json_extract('{"a":[1,2,{"b":"c"}]}', '\$.a[2].b'), hex(zeroblob(3)), round(2.71828, 2);
	END
	cat > lua.same <<- END
	local seen, list, sum, n = {}, {}, 0, 10000
	for i = 1, n do
		local w = string.format("%x-%s", i * 7919 % 10007, ("abc"):rep(i % 5))
		if not seen[w] then seen[w] = 0; list[#list + 1] = w end
		seen[w] = seen[w] + i
	end
	table.sort(list)
	for w in table.concat(list, " "):gmatch("%w+%-(%a*)") do sum = sum + #w end
	for i = 1, n do sum = (sum * 31 + (seen[list[i % #list + 1]] or 0)) % 1000003 end
	local function tree(d) if d == 0 then return {} end return { tree(d - 1), tree(d - 1) } end
	local function count(t) return t[1] and 1 + count(t[1]) + count(t[2]) or 1 end
	for i = 1, 4 do sum = sum + count(tree(9)) end
	print(sum, #list)
	END
	cat > lua.other <<- END
	local ways, n = 0, 7
	local function queens(row, cols, d1, d2)
		if row > n then ways = ways + 1 return end
		for c = 1, n do
			if not (cols[c] or d1[row + c] or d2[row - c]) then
				cols[c], d1[row + c], d2[row - c] = true, true, true
				queens(row + 1, cols, d1, d2)
				cols[c], d1[row + c], d2[row - c] = nil, nil, nil
			end
		end
	end
	queens(1, {}, {}, {})
	local Account = {}
	Account.__index = Account
	function Account.new(name) return setmetatable({ name = name, sum = 0, log = {} }, Account) end
	function Account:add(x)
		if x < 0 and self.sum + x < 0 then error("too little") end
		self.sum = self.sum + x
		self.log[#self.log + 1] = ("%s %+.2f"):format(self.name, x)
	end
	local failed, x, words, keys = 0, 1, {}, {}
	local all = { Account.new("a"), Account.new("bc"), Account.new("def") }
	for i = 1, 2500 do
		x = (x * 48271) % 2147483647
		if not pcall(all[x % 3 + 1].add, all[x % 3 + 1], x % 1000 / 7 - 60) then failed = failed + 1 end
	end
	for _, a in ipairs(all) do
		for _, l in ipairs(a.log) do
			local k = l:gsub("%d+", function(d) return #d end):upper():reverse()
			words[k] = (words[k] or 0) + 1
		end
	end
	for k in pairs(words) do keys[#keys + 1] = k end
	table.sort(keys, function(a, b)
		if words[a] ~= words[b] then return words[a] > words[b] end
		return a < b
	end)
	print(ways, failed, #keys, keys[1])
	END
	python3 - <<- 'END'
	import json, random
	random.seed(1)
	words = ["alpha", "beta \"quoted\"", "gam\\ma", "d\u00e9lta", "line\nbreak", "", "zeta" * 9]
	with open("json.same", "w") as f:
	    for i in range(1200):
	        json.dump({"id": i, "name": random.choice(words), "tags": random.sample(words, 3), "price": random.random() * 100,
	                   "sold": i % 3 == 0, "note": None, "size": {"w": i % 17, "h": -i % 13}}, f, indent=2 if i % 2 else None)
	        f.write("\n")
	def tree(depth):
	    if not depth:
	        return random.choice([random.randint(-9, 9), True, None, "x" * random.randint(0, 40), 1e-7 * random.random(),
	                              "\u4e2d\u6587", "a\\b"])
	    if random.random() < .5:
	        return [tree(depth - 1) for i in range(random.randint(0, 5))]
	    return {"key%d" % random.randint(0, 99): tree(depth - 1) for i in range(random.randint(1, 5))}
	with open("json.other", "w") as f:
	    for i in range(60):
	        json.dump(tree(6), f, indent=1 if i % 2 else None, ensure_ascii=False)
	END
}

# ---------------------------------------------------------------- programs

# Compiler options for every build, and the words of a variant.
clang="clang-19 --target=aarch64-linux-gnu -O2"
common="-Qunused-arguments -fuse-ld=lld -Wl,--emit-relocs -Wl,--build-id -resource-dir=resource"

# Of the program that $1 begins with.  BOLT 19 cannot follow Lua's table of labels.  Without a seed of its own
# Lua takes one of the time, and no two runs are the same.
sources()
{
	case $1 in
	sqlite*) echo sources/sqlite/sqlite3.c sources/sqlite/shell.c -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION ;;
	lua*)	 echo sources/lua/src/l*.c "-Dluai_makeseed(L)=1" -DLUA_USE_JUMPTABLE=0 -DLUA_COMPAT_5_3 -DLUA_USE_POSIX ;;
	json*)	 echo "$here/programs/json.c" ;;
	esac
}

# The rest of the output of this step goes there; its last line is the error.
compile()
{
	local out=$1

	shift
	"$@" $common -o "$out" $(sources "$out") -lm > "$out.log" 2>&1 ||
		die "$out is not built: $*: $(tail -n 1 "$out.log")"
}

# build OUT WORDS...
build()
{
	local out=$1

	shift
	compile "$out" $clang "$@"
}

# With the line that csflow pgo printed
build_as()
{
	compile "$1" $(cat "$1.how")
}

# input PROGRAM WHICH COMMAND...: the command, with that input
input()
{
	local name=$1 which=$2

	shift 2
	case $name in
	sqlite)	"$@" :memory: < sqlite.$which ;;
	lua)	"$@" lua.$which ;;
	json)	"$@" < json.$which ;;
	esac
}

# ---------------------------------------------------------------- profiles

# The last line that it prints is the command to run. pgo FOR BINARY PROFILE LINE; the recording
# stays for overlap().
pgo()
{
	input "${2%%.*}" same "$csflow" pgo --for="$1" --keep="$2.$1.data" -o "$3" -- "./$2" > "$3.out" 2> "$3.log" ||
		die "csflow pgo of $2: $(tail -n 1 "$3.log")"
	tail -n 1 "$3.log" > "$4"
}

by_instruments()
{
	LLVM_PROFILE_FILE=$1.profraw input "$1" same qemu-aarch64 "./$1.generate" > "$1.generate.out" &&
		llvm-profdata-19 merge -o "$1.profdata" "$1.profraw" > "$1.profdata.log" 2>&1 || die "no profile of $1.generate"
}

# llvm-bolt looks for its library below its own folder.
by_bolt_instruments()
{
	$llvm/bin/llvm-bolt "$1.plain" -instrument -o "$1.instruments" --instrumentation-file="$dir/$1.instruments.fdata" \
		--runtime-instrumentation-lib="../../../..$dir/root$llvm/lib/libbolt_rt_instr.a" > "$1.instruments.log" 2>&1 ||
		die "llvm-bolt -instrument: $(tail -n 1 "$1.instruments.log")"
	rm -f "$1.instruments.fdata"
	input "$1" same qemu-aarch64 "./$1.instruments" > "$1.instruments.out" && [ -s "$1.instruments.fdata" ] ||
		die "no profile of $1.instruments"
	mv "$1.instruments.fdata" "$1.theirs.fdata"
}

# The line that csflow pgo printed; that line is in words, and makes PROGRAM.plain.bolt.
bolt()
{
	$(cat "$1.bolt.how") > "$1.bolt.stats" 2>&1 && mv "$1.plain.bolt" "$1.bolt" ||
		die "llvm-bolt: $(tail -n 1 "$1.bolt.stats")"
}

# The same with the profile of BOLT's own instrumentation
bolt_theirs()
{
	$(sed "s,-o [^ ]*,-o $1.theirs,; s,-data=[^ ]*,-data=$1.theirs.fdata," "$1.bolt.how") > "$1.theirs.stats" 2>&1 ||
		die "llvm-bolt: $(tail -n 1 "$1.theirs.stats")"
}

# llvm-profgen also makes a profile of lines from counts by address: the percentage of it that ours
# equals.
overlap()
{
	"$csflow" profile -q --for=profgen --binary="$1.plain" -o "$1.unsymbolized" "$1.plain.clang.data" 2> "$1.overlap.log" &&
		llvm-profgen-19 --binary="$1.plain" --unsymbolized-profile="$1.unsymbolized" --format=text \
			--output="$1.profgen" >> "$1.overlap.log" 2>&1 &&
		llvm-profdata-19 overlap --sample "$1.profgen" "$1.plain.prof" >> "$1.overlap.log" 2>&1 ||
		die "llvm-profgen: $(tail -n 1 "$1.overlap.log")"
	sed -n 's/.*Whole program profile similarity: *\(.*\)%/\1/p' "$1.overlap.log" > "$1.overlap"
}

# ---------------------------------------------------------------- what is gained

# taken PROGRAM VARIANT INPUT: branches that it takes, calls and returns included; exact
taken()
{
	local file=$1.$2 run=$1.$2.$3

	input "$1" "$3" "$csflow" record -q -o "$run.data" -- "./$file" > "$run.out" 2> "$run.log" ||
		die "$file: $(tail -n 1 "$run.log")"
	cmp -s "$run.out" "$1.plain.$3.out" || die "$file prints something else than before"
	"$csflow" profile -q --for=json --binary="$file" -o "$run.json" "$run.data" 2> "$run.log" ||
		die "$file: $(tail -n 1 "$run.log")"
	branches_taken "$run.json" "$file" > "$run.taken.new" || die "$run.json is not read"
	rm -f "$run".data* "$run.json"
	mv "$run.taken.new" "$run.taken"
}

# Before and after its work, by llvm-bolt -dyno-stats.
dyno()
{
	sed -n 's/^ *\([0-9]*\) : taken branches.*/\1/p' "$1" | head -n 2 | paste -sd' '
}

# row PROGRAM VARIANTS INPUTS: a line of the table for each input
row()
{
	local which v

	for which in $3; do
		printf '%s %s' "$1" "$which"
		for v in $2; do
			printf ' %s' "$(cat "$1.$v.$which.taken")"
		done
		printf ' %s %s %s\n' "$(dyno "$1.theirs.stats")" "$(dyno "$1.bolt.stats")" "$(cat "$1.overlap")"
	done
}

# ---------------------------------------------------------------- the table

# What has to be: of what instruments gain, ours gains 70 % or more by probes, 25 % by lines, and what
# BOLT gains by its own statistics is what it gains with its own instruments within 2 %; means of all
# programs.
print_table()
{
	awk '
	function gain(plain, now) { return 100 * (plain - now) / plain }
	function far(a, b) { return 100 * (a > b ? a - b : b - a) / b }
	NR == 1 {
		print "Branches taken, and how many fewer than without a profile:"
		print ""
		printf "%-8s %-6s %10s %10s %10s %10s %10s %10s %9s\n", "program", "input", "none", "generate", "probes", "lines",
			"bolt-instr", "bolt", "of gain"
	}
	# A missing number would shift the others, and a share of no gain is undefined.
	NF != 13 || $4 >= $3 {
		print "no row of the table: " $0
		bad = 1
		exit 1
	}
	{
		share = 100 * ($3 - $6) / ($3 - $4)
		sum[$2] += share; n[$2]++
		by_line[$2] += 100 * ($3 - $5) / ($3 - $4)
		printf "%-8s %-6s %10d %8.1f %% %8.1f %% %8.1f %% %8.1f %% %8.1f %% %7.1f %%\n", $1, $2, $3, gain($3, $4),
			gain($3, $6), gain($3, $5), gain($3, $7), gain($3, $8), share
		if ($2 == "same") {
			theirs = $9 - $10; ours = $11 - $12
			lines = lines sprintf(", %s %s %%", $1, $13)
			dyno = dyno sprintf("%-8s %10d %10d %10d %10d %8.2f %%\n", $1, $9, $10, $11, $12, far(ours, theirs))
			apart += far(ours, theirs)
		}
	}
	END {
		if (bad)
			exit 1
		printf "\nThe same before BOLT and behind it, by its own statistics:\n\n%-8s %21s %21s\n%-8s %10s %10s %10s %10s  gain apart\n%s\n",
			"", "with its instruments", "with csflow pgo", "program", "before", "behind", "before", "behind", dyno
		if (!n["same"])
			exit 1
		printf "profiles by lines that are llvm-profgen\047s, too: %s\n\n", substr(lines, 3)
		same = sum["same"] / n["same"]; other = sum["other"] / n["other"]; apart /= n["same"]
		lines_same = by_line["same"] / n["same"]; lines_other = by_line["other"] / n["other"]
		printf "mean: of what instruments gain %.1f %% by probes, %.1f %% with another input; by lines %.1f %%, %.1f %%; BOLT: %.2f %% apart\n",
			same, other, lines_same, lines_other, apart
		exit !(same >= 70 && other >= 70 && lines_same >= 25 && lines_other >= 25 && apart <= 2)
	}' "$@"
}

# ---------------------------------------------------------------- all of it

if [ $# -gt 0 ]; then
	[ -t 2 ] && echo "pays: $*" >&2
	"$@"
	exit
fi
need clang-19 ld.lld-19 llvm-bolt-19 llvm-profdata-19 llvm-profgen-19 aarch64-linux-gnu-gcc qemu-aarch64 tclsh python3
unpack
mkdir -p inputs && (cd inputs && make_inputs) || die "no inputs"
# An unchanged input need not be run again.
for file in inputs/*; do
	cmp -s "$file" "${file##*/}" || cp "$file" . || die "no inputs"
done
start=$SECONDS
env -u MAKEFLAGS -u MFLAGS make -s -j"$(nproc)" -f "$here/bench/pays.mk" pays="$pays" here="$here" csflow="$csflow" \
	unit="$(dirname "$csflow")/csflow-unit.so" PROGRAMS="${PROGRAMS:-json lua sqlite}" >&2 || exit 1
echo "made in $((SECONDS - start)) seconds" >&2
print_table numbers

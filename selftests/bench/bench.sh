#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh [PART...]	speed; PART: encode, samples, decode, ir, memory, growth,
#			blocks, messages, itm, pipe; without one: all
#
# Called by make bench, which gives O.  Real trace of $CSFLOW_CORPUS, and recordings of real programs
# under the virtual trace unit, of $MIB each (64), which stay in $BENCH_DIR ($O/bench-record).
# ONLY=PATTERN: only those traces whose names match.  Each job is done $ROUNDS times (3).
#
# Both sides are verified to be equal first.  Only the ratio means something, and it means more on a
# machine with nothing else to do.  Host instructions for each byte, by callgrind, always do.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${O:=build}" "${MIB:=64}" "${ROUNDS:=3}" "${IR_KIB:=1024}" "${IR_PEER_KIB:=64}"
: "${CSFLOW:=$O/csflow}"
export O=$(realpath "$O") CSFLOW=$(realpath "$CSFLOW")
: "${BENCH_DIR:=$O/bench-record}"
bin=$O/selftests

parts=${*:-encode samples messages itm decode ir memory growth blocks pipe}
wanted()
{
	case " $parts " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# The real traces whose image is there. juno-ret-stck is left out: after missing code the two sides
# disagree about the return stack, so they do not decode the same.
real=()
for s in snapshots/bugfix-exact-match snapshots-ete/001-ack_test snapshots-ete/tme_test \
	 snapshots-ete/trace_file_vmid; do
	[ -n "$CSFLOW_CORPUS" ] && [ -d "$CSFLOW_CORPUS/$s" ] && [[ $s == *${ONLY:-}* ]] &&
		real+=("$CSFLOW_CORPUS/$s")
done
[ -n "$CSFLOW_CORPUS" ] ||
	echo "bench: set CSFLOW_CORPUS to a folder with real traces; without it there are none" >&2

recorded=()
if wanted decode || wanted ir || wanted memory || wanted growth || wanted pipe; then
	for name in $(selftests/bench/bench-record.sh -l | grep -F -e "${ONLY:-}"); do
		# A name that is no program is a row of the matrix, and needs less trace.
		mib=$MIB
		case $name in *.etm4 | *.ptm) ;; *) mib=$((MIB < 8 ? MIB : 8)) ;; esac
		snapshot=$(selftests/bench/bench-record.sh "$BENCH_DIR" "$mib" "$name") || exit 1
		recorded+=("$snapshot")
	done
fi
sed -n 's/^model name[[:space:]]*: /machine: /p' /proc/cpuinfo | head -n 1

wanted encode && { "$bin/bench/bench_encode" || exit 1; }
if wanted samples && [ ${#real[@]} -gt 0 ]; then
	"$bin/bench/bench_match" "${real[0]}" || exit 1
	"$bin/bench/bench_samples" "${real[0]}" || exit 1
fi
# PTM, once and again and again; ETMv3 up to where the peer gives up
bench_classic()
{
	local ptm=$CSFLOW_CORPUS/snapshots/tc2-ptm-rstk-t32 etm3=$CSFLOW_CORPUS/classic/am243x-r5f/zephyr

	[ -n "$CSFLOW_CORPUS" ] || return 0
	if [ -d "$ptm" ] && [[ $ptm == *${ONLY:-}* ]]; then
		"$bin/bench/bench_decode" -r "$ROUNDS" "$ptm" || return 1
		[ "$MIB" -lt 64 ] || "$bin/bench/bench_decode" -r "$ROUNDS" -n 65536 "$ptm" || return 1
	fi
	if [ -d "$etm3" ] && [[ $etm3 == *${ONLY:-}* ]]; then
		"$bin/bench/bench_decode" -r "$ROUNDS" -n 27 "$etm3" || return 1
	fi
}

# Messages of an STM, frames included.
bench_stm()
{
	local stm=$CSFLOW_CORPUS/snapshots/stm_only/cstraceitm.bin

	[ -n "$CSFLOW_CORPUS" ] && [ -e "$stm" ] && [[ $stm == *${ONLY:-}* ]] || return 0
	"$bin/bench/bench_message" -r "$ROUNDS" "$stm" 0x20
}

if wanted messages; then
	bench_stm || exit 1
fi
if wanted decode; then
	if [ ${#real[@]} -gt 0 ]; then
		"$bin/bench/bench_decode" -r "$ROUNDS" "${real[@]}" || exit 1
		[ "$MIB" -lt 64 ] || "$bin/bench/bench_decode" -r "$ROUNDS" -n 65536 "${real[0]}" || exit 1
	fi
	[ ${#recorded[@]} -eq 0 ] || "$bin/bench/bench_decode" -r "$ROUNDS" "${recorded[@]}" || exit 1
	bench_classic || exit 1
fi

# itm NAME FILE: messages of an ITM, to a consumer that does nothing
itm()
{
	printf '%-30s %s host instructions a byte, ' "$1" \
		"$(selftests/bench/ir.sh "$bin/bench/bench_itm" -n "$IR_KIB" itm "$2" 2> /dev/null || echo -)"
	"$bin/bench/bench_itm" -n 16384 -r $((4 * ROUNDS)) itm "$2" |
		awk '{ printf "%.0f MB/s, %.1f ns a message\n", $4, $3 * 1e9 / $2 }'
}

if wanted itm; then
	echo 'messages of an ITM, one core'
	mkdir -p "$BENCH_DIR" && "$bin/make/mkitm" "$BENCH_DIR/itm" 200000 && itm 'random events' "$BENCH_DIR/itm"
	rm -f "$BENCH_DIR/itm"
	[ -z "$CSFLOW_CORPUS" ] || itm 'a real capture' "$CSFLOW_CORPUS/classic/arm_coresight_decoder/itm_only.bin"
fi

# ir JOB [-w]: csflow runs over more trace than the peer, which takes many times as long
ir()
{
	selftests/bench/ir.sh "$bin/bench/bench_pass" ${2:+"$2"} -n "$kib" "$s" "$1" 2> /dev/null || echo -
}

peer_ir()
{
	selftests/bench/ir.sh "$bin/bench/bench_pass" -p -n "$peer_kib" "$s" "$1" 2> /dev/null || echo -
}

if wanted ir; then
	echo 'host instructions for each byte of trace'
	printf '%-30s %8s %8s %8s %8s %8s %8s | %8s %8s %8s\n' '' frames packets runs,1st warm \
		counts,1 warm frames packets full
	for s in "${real[@]}" "${recorded[@]}"; do
		# Real trace is short, so all of it is used: its first pass differs from that of
		# repeated trace.
		kib=$IR_KIB
		peer_kib=$IR_PEER_KIB
		case $s in
		"$CSFLOW_CORPUS"/*) kib=0; peer_kib=0 ;;
		esac
		[ "$(basename "$s")" = bugfix-exact-match ] && peer_kib=$IR_PEER_KIB
		printf '%-30s %8s %8s %8s %8s %8s %8s | %8s %8s %8s\n' "$(basename "$s")" "$(ir frames)" \
			"$(ir packets)" "$(ir runs)" "$(ir runs -w)" "$(ir counts)" "$(ir counts -w)" \
			"$(peer_ir frames)" "$(peer_ir packets)" "$(peer_ir runs)"
	done
fi

if wanted memory; then
	echo 'memory at the peak beyond the trace itself, KiB'
	for s in "${real[@]}" "${recorded[@]}"; do
		printf '%-30s runs %8d counts %8d peer %8d\n' "$(basename "$s")" \
			$(for job in runs counts '-p runs'; do
				set -- $job
				"$bin/bench/bench_pass" ${2:+"$1"} "$s" "${2:-$1}" |
					awk '{ printf "%d\n", $5 / 1024 }'
			done)
	done
fi

if wanted growth && [ ${#recorded[@]} -gt 0 ]; then
	s=${recorded[0]}
	echo "growth: the first 1/64, 1/16, 1/4 and all of $(basename "$s"): runs, first pass"
	for part in 64 16 4 1; do
		"$bin/bench/bench_pass" -n $((MIB * 1024 / part)) "$s" runs |
			awk '{ printf "%12d bytes %8.3f s %8.2f ns a byte, memory %8d KiB\n", $1, $4,
				$4 * 1e9 / $1, $5 / 1024 }'
	done
fi

# used COMMAND...: milliseconds of the processor for $piped through a pipe, the least of all rounds; its output to $made
used()
{
	local round

	rm -f "$made" "$made.use"
	for ((round = 0; round < ROUNDS; round++)); do
		cat "$piped" | "$bin/bench/bench_rusage" "$made.use" "$@" - > "$made.out" 2> /dev/null || return 1
	done
	[ -e "$made" ] || mv "$made.out" "$made"
	sort -n "$made.use" | head -n 1 | cut -d' ' -f1
}

# pipe SNAPSHOT: what counting costs while perf records, beside what compressing the same bytes costs
pipe()
{
	local piped=$BENCH_DIR/piped made=$BENCH_DIR/made jobs=(zstd profile quick) row job

	"$bin/make/mkperf" "$1.data" "$piped" pipe || return 1
	row=$(basename "$1")
	for job in "${jobs[@]}"; do
		case $job in
		zstd)		row+=" $(used zstd -3 -q -c)" ;;
		profile)	row+=" $(used "$CSFLOW" profile -j1 -q --for=counts -o "$made")" ;;
		quick)		row+=" $(used "$CSFLOW" quick -o "$made")" ;;
		esac || return 1
		row+=" $(stat -c %s "$made")"
	done
	rm -f "$piped" "$made" "$made.use" "$made.out"
	echo "$row"
}

if wanted pipe && [ ${#recorded[@]} -gt 0 ]; then
	echo 'a recording through a pipe: ms of zstd -3, of csflow profile --for=counts -j1, of csflow quick; and their output'
	printf '%-20s %6s %8s %6s %6s %6s %11s %9s %9s\n' '' zstd profile ratio quick ratio 'zstd bytes' profile quick
	for s in "${recorded[@]}"; do
		[[ $s != *.etm4-* ]] || pipe "$s" || exit 1
	done | awk '
		function row(name, z, p, q, bz, bp, bq) {
			printf "%-20s %6d %8d %6.2f %6d %6.2f %11d %9d %9d\n", name, z, p, p / z, q, q / z, bz, bp, bq
		}
		{ row($1, $2, $4, $6, $3, $5, $7); for (i = 2; i <= 7; i++) sum[i] += $i }
		END { row("all", sum[2], sum[4], sum[6], sum[3], sum[5], sum[7]) }'
fi

# quickest ARG...: the fastest pass, of as many processes as there are rounds
quickest()
{
	local round

	for ((round = 0; round < ROUNDS; round++)); do
		"$bin/bench/bench_pass" "$@" || return 1
	done | sort -g -k 4 | head -n 1
}

# blocks N STEPS [HOT]: the cost of a step among N blocks, and of the first visit of a block
blocks()
{
	local dir=$BENCH_DIR/blocks chase first warm

	"$bin/make/mkblocks" "$dir" "$@" || exit 1
	chase=$("$bin/bench/bench_chase" "$1") || exit 1
	first=$(quickest "$dir" runs) && warm=$(quickest -w "$dir" runs) || exit 1
	echo "$1 ${3:-all} $chase $first $warm" | awk '{
		visited = $1 * (1 - exp(-$5 / $1))
		if ($2 != "all")
			visited = $2 + ($1 - $2) * (1 - exp(-$5 * 0.1 / ($1 - $2)))
		# If few steps are first visits, the difference is only noise.
		visit = visited * 20 > $5 ? sprintf("%.1f", ($7 - $12) * 1e9 / visited) : "-"
		printf "%9d %9s %12.2f %12.2f %14s %12.2f\n", $1, $2, $7 * 1e9 / $5, $12 * 1e9 / $10,
			visit, $3 }'
	rm -rf "$dir"
}

if wanted blocks; then
	mkdir -p "$BENCH_DIR" || exit 1
	echo 'blocks of a program, of which hot (90 % of the steps): nanoseconds a step'
	printf '%9s %9s %12s %12s %14s %12s\n' blocks hot first warm 'first visit' chase
	blocks 1000 3000000
	blocks 10000 3000000
	blocks 100000 1000000
	blocks 1000000 6000000 50000
	blocks 1000000 6000000
	[ "$MIB" -lt 64 ] || blocks 10000000 30000000
fi
exit 0

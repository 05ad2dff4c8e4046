# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# The machine itself: QEMU.  To be sourced by vm.sh.

# The channels of the trace units, 8 MiB for each CPU, and the size of all: see csf_channel.h.
channel=8 channels=64

# share: file 5, memory that the trace units and the guest's kernel share.  It has no name, so it is gone with QEMU.
share()
{
	local dir file

	for dir in /dev/shm "${TMPDIR:-/tmp}"; do
		file=$(mktemp "$dir/csflow-vm.XXXXXX" 2> /dev/null) || continue
		if head -c "$((cpus * channel))M" /dev/zero > "$file" 2> /dev/null && truncate -s "${channels}M" "$file"; then
			exec 5<> "$file"
			rm "$file"
			return
		fi
		rm "$file"
	done
	die "no room for $((cpus * channel)) MiB in /dev/shm or ${TMPDIR:-/tmp}"
}

# A comma in a word of an option is doubled.
unit_words()
{
	units=()
	[[ -n $plugin && $CSFLOW_QEMU != *ivshmem* ]] || return
	share
	units=(-plugin "${plugin//,/,,},shm=/dev/fd/5,doorbell=on${unit:+,unit=${unit//,/,,}}${truth:+,truth=${truth//,/,,}}"
	       -device ivshmem-doorbell,vectors=8,chardev=csflow)
}

# pass_on NAME: what comes through that pipe goes to standard output.  QEMU itself cannot write to every kind of file, and
# the guest waits for ever if nothing reads what it prints.
pass_on()
{
	mkfifo "$work/$1" || die "cannot make $work/$1"
	# It ends with QEMU, whatever a terminal sends to all.
	{ trap '' HUP INT QUIT TERM; cat || cat > /dev/null; } < "$work/$1" 5>&- 6>&- &
	readers+=($!)
	ports+=(-chardev "file,id=$1,path=$work/$1,append=on" -device "virtserialport,chardev=$1,name=$1,nr=${#readers[@]}")
}

# passed_on: all of it, even if QEMU has not begun
passed_on()
{
	: 3<> "$work/printed" 4<> "$work/said"
	wait "${readers[@]}"
}

# What the command prints and what goes wrong are ports; the terminal of a shell is another.  QEMU restores the terminal unless
# it is killed.
port_words()
{
	readers=()
	ports=(-device virtio-serial-pci)
	pass_on printed
	pass_on said >&2
	mkfifo "$work/asked" || die "cannot make $work/asked"
	exec 4<> "$work/asked"
	ports+=(-chardev "pipe,id=asked,path=$work/asked" -device virtserialport,chardev=asked,name=asked,nr=3)
	[ -n "$shell" ] || return
	tty=$(stty -g)
	ports+=(-chardev stdio,id=terminal,signal=off -device virtconsole,chardev=terminal,nr=0)
}

# The host's file is gone after a run, so there is no need to wait for its disk.
disk_words()
{
	disk=(-drive "file=$work/results,if=none,id=results,format=raw,cache=unsafe,werror=report,rerror=report"
	      -device virtio-blk-pci,drive=results)
}

# In place of a subshell.  It ends when vm.sh does, even if that is killed.  Without a shell it is in a group of its own: what a
# terminal sends to all must not end QEMU before the guest has sent its files.  CSFLOW_QEMU: more options of QEMU, for tests;
# with ivshmem in them, the machine has no other trace units.
# QEMU has a thread for each CPU, unless -icount is among those options.
# shellcheck disable=SC2086 # words
machine()
{
	exec 4>&- 6>&-
	[ -n "$shell" ] || exec < /dev/null
	exec setpriv --pdeathsig TERM timeout ${shell:+--foreground} -k 5 "$limit" \
		qemu-system-aarch64 -M "virt,gic-version=3${vhe:+,virtualization=on}" -cpu max,pauth-impdef=on \
		-smp "$cpus" -m "$memory" -accel tcg -display none -monitor none -no-reboot -nic none \
		-kernel "$image" -initrd "$work/initrd" \
		-append "console=ttyAMA0 panic=-1 quiet nokaslr" -serial "file:$work/console" \
		"${ports[@]}" "${disk[@]}" "${units[@]}" $CSFLOW_QEMU
}

# The last words of the kernel, if they are why it ended.
why_ended()
{
	local line

	if grep -q -E 'Out of memory|deadlocked on memory|Initramfs unpacking failed: write error' "$work/console"; then
		echo "its memory of $memory is too little: see --memory"
		return
	fi
	line=$(sed -n 's/.*Kernel panic - not syncing: //p' "$work/console" | head -n 1)
	[ -z "$line" ] || echo "the kernel panicked: ${line%$'\r'}"
}

# ended STATUS: reports how QEMU ended, unless well
ended()
{
	local why

	case $1 in
	0)	return ;;
	3)
		log_lost=1
		return ;;
	124)
		last_words "$work/console" 20
		die "the machine did not end within $limit s: see --timeout" ;;
	esac
	[ "$1" -lt 128 ] || die "QEMU was ended by signal $(($1 - 128)); this machine may have too little memory"
	[ -z "$plugin" ] || qemu-system-aarch64 -help | grep -q -- '^-plugin' ||
		why=": it cannot load plugins, which QEMU 7.2 of Debian 12 can"
	die "QEMU could not run the machine$why"
}

# Seconds that a machine has to end after a signal: the guest needs up to 15 to end the command.
grace=60

# on_signal NAME: the first one goes to the command, whose files then come back; another one ends everything
on_signal()
{
	if [ -n "$asked" ] || [ -z "$qemu" ]; then
		exit $((128 + $(kill -l "$1")))
	fi
	asked=$1
	noticed=1
	say "SIG$1: the command is asked to end; another signal ends the machine at once"
	echo "$1" >&4
	# shellcheck disable=SC2064 # QEMU as it is now
	{ trap '' HUP INT QUIT; read -r -t $grace <> "$work/never"; kill "$qemu"; } 4>&- 6>&- &
}

heed_signals()
{
	local name

	mkfifo "$work/never" || die "cannot make $work/never"
	for name in HUP INT QUIT TERM; do
		# shellcheck disable=SC2064 # the name as it is now
		trap "on_signal $name" $name
	done
}

# wait_for_qemu: $ended_with; a signal interrupts each wait
wait_for_qemu()
{
	while
		noticed=''
		wait "$qemu"
		ended_with=$?
		[ -n "$noticed" ] && [ $ended_with -gt 128 ]
	do
		:
	done
}

# start_machine: to its end
start_machine()
{
	cat /dev/fd/8 "$own" > "$work/initrd" || die "no room in $work: see \$TMPDIR"
	exec 7<&- 8<&-
	truncate -s 16G "$work/results" || die "cannot make $work/results"
	: > "$work/console"
	unit_words
	port_words
	disk_words
	step "starting Linux $version with $cpus CPUs"
	if [ -n "$shell" ]; then
		clear_line
		machine <&0 &
	else
		machine < /dev/null &
	fi
	qemu=$!
	exec 5>&-
	heed_signals
	wait_for_qemu
	qemu=''
	passed_on
	[ -n "$asked" ] || ended $ended_with
}

#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# walk-a64.pl WORD...: executes code of A64, of the few instructions that tests of kernels need, and
# writes what it executed, as Tarmac, with "guest" or "host" in place of the assembler.
#
#	load=ADDR:FILE	bytes of memory
#	guest=ADDR:FILE	of that of a guest, which runs at EL1 and EL0 while hcr_el2 is 0
#	pc=ADDR		where it begins
#	NAME=VALUE	x0 to x30, or vbar_el1, hcr_el2 and their like; el, at first 0
#	irq=N,...	interrupts in front of the Nth instruction, unless that is a handler's
#	stores=FILE	gets "TIME ADDR OLD NEW" for each store, words in the order of memory
#
# With hcr_el2 there is an EL2, and its bit 27 (TGE) says that it is a host's: system calls of EL0 go
# there, too.  The clock counts 10 for each instruction.  HLT is the last one.
use strict;
use warnings;
no warnings 'portable';

my (%irq, $stores);
my @memory = ({}, {});			# of the host, of the guest
my @x = (0) x 32;
my ($pc, $n) = (0, 0);
my %sys = (el => 0);

my %name = (0x184000 => 'spsr_el1', 0x184020 => 'elr_el1', 0x18c000 => 'vbar_el1',
	0x18d020 => 'contextidr_el1', 0x1c1100 => 'hcr_el2', 0x1c4000 => 'spsr_el2',
	0x1c4020 => 'elr_el2', 0x1cc000 => 'vbar_el2', 0x1cd020 => 'contextidr_el2');

sub number { return $_[0] =~ /^0x/ ? hex $_[0] : $_[0] + 0 }

sub load
{
	my ($to, $at, $path) = ($memory[$_[0]], number($_[1]), $_[2]);
	open(my $f, '<:raw', $path) or die "$path: $!\n";
	local $/;
	my @word = unpack 'V*', <$f>;
	$to->{$at + 4 * $_} = $word[$_] for 0 .. $#word;
}

for (@ARGV) {
	my ($word, $value) = /^(\w+)=(.*)$/ or die "$_?\n";
	if ($word eq 'load' || $word eq 'guest') { load($word eq "guest" ? 1 : 0, split /:/, $value) }
	elsif ($word eq 'pc') { $pc = number($value) }
	elsif ($word eq 'irq') { $irq{$_} = 1 for split /,/, $value }
	elsif ($word eq 'stores') { open($stores, '>', $value) or die "$value: $!\n" }
	elsif ($word =~ /^x(\d+)$/) { $x[$1] = number($value) }
	else { $sys{$word} = number($value) }
}

sub line { printf "%d clk cpu0 %s\n", 10 * $n, join ' ', @_ }

sub says
{
	my ($reg) = @_;
	line('R', uc $reg, sprintf '%08x:%08x', $sys{$reg} >> 32, $sys{$reg} & 0xffffffff);
}

sub exception
{
	my ($sync, $to) = @_;
	my $from = $sys{el};
	my $same = $from == $to;
	$sys{"elr_el$to"} = $pc;
	$sys{"spsr_el$to"} = $from << 2;
	$pc = $sys{"vbar_el$to"} + ($same ? 0x200 : 0x400) + ($sync ? 0 : 0x80);
	line('E', sprintf('%016x', $pc), sprintf('%08x', ($same ? 0x84 : 0x88) + !$sync),
		'CoreEvent_' . ($same ? 'CURRENT_SPx' : 'LOWER_64') . ($sync ? '_SYNC' : '_IRQ'));
	says("elr_el$to");
	$sys{el} = $to;
}

sub host { return defined $sys{hcr_el2} && ($sys{el} == 2 || $sys{hcr_el2} >> 27 & 1) }

sub guest { return defined $sys{hcr_el2} && !host() ? 1 : 0 }

sub memory { return $memory[guest()] }

sub signed { my ($v, $bits) = @_; return $v >> $bits - 1 & 1 ? $v - (1 << $bits) : $v }

sub r { return $_[0] == 31 ? 0 : $x[$_[0]] }

sub step
{
	my ($op) = @_;
	my ($rd, $rn) = ($op & 31, $op >> 5 & 31);
	my $next = $pc + 4;

	if (($op & 0xfffff01f) == 0xd503201f || ($op & 0xfffff000) == 0xd5033000) {	# hints, barriers
	} elsif (($op & 0x7f800000) == 0x52800000) {		# MOV
		$x[$rd] = ($op >> 5 & 0xffff) << 16 * ($op >> 21 & 3);
	} elsif (($op & 0x7f800000) == 0x72800000) {		# MOVK
		my $at = 16 * ($op >> 21 & 3);
		$x[$rd] = ($x[$rd] & ~(0xffff << $at)) | ($op >> 5 & 0xffff) << $at;
	} elsif (($op & 0xffe0ffe0) == 0xaa0003e0) {		# MOV, of a register
		$x[$rd] = r($op >> 16 & 31);
	} elsif (($op & 0xff800000) == 0x91000000) {		# ADD
		$x[$rd] = $x[$rn] + (($op >> 10 & 0xfff) << ($op & 1 << 22 ? 12 : 0));
	} elsif (($op & 0xff800000) == 0xd1000000) {		# SUB
		$x[$rd] = $x[$rn] - (($op >> 10 & 0xfff) << ($op & 1 << 22 ? 12 : 0));
	} elsif (($op & 0x9f000000) == 0x10000000) {		# ADR
		$x[$rd] = $pc + signed(($op >> 5 & 0x7ffff) << 2 | $op >> 29 & 3, 21);
	} elsif (($op & 0x7e000000) == 0x34000000) {		# CBZ, CBNZ
		$next = $pc + 4 * signed($op >> 5 & 0x7ffff, 19)
			if (r($rd) == 0) == !($op >> 24 & 1);
	} elsif (($op & 0x7c000000) == 0x14000000) {		# B, BL
		$x[30] = $next if $op >> 31;
		$next = $pc + 4 * signed($op & 0x3ffffff, 26);
	} elsif (($op & 0xff9ffc1f) == 0xd61f0000) {		# BR, BLR, RET
		$next = r($rn);
		$x[30] = $pc + 4 if ($op >> 21 & 3) == 1;
	} elsif (($op & 0xffc00000) == 0xb9000000) {		# STR
		my $at = $x[$rn] + 4 * ($op >> 10 & 0xfff);
		printf $stores "%d %x %s %s\n", 10 * $n, $at,
			unpack('H8', pack('V', memory->{$at} // 0)), unpack('H8', pack('V', r($rd)));
		memory->{$at} = r($rd) & 0xffffffff;
	} elsif (($op & 0xffc00000) == 0xb9400000) {		# LDR
		$x[$rd] = memory->{$x[$rn] + 4 * ($op >> 10 & 0xfff)} // 0;
	} elsif (($op & 0xffc00000) == 0xd5000000 && $name{$op & 0x1fffe0}) {	# MSR, MRS
		my $reg = $name{$op & 0x1fffe0};
		if ($op >> 21 & 1) { $x[$rd] = $sys{$reg} } else { $sys{$reg} = r($rd) }
		says($reg) if $reg =~ /^contextidr/;
	} elsif ($op == 0xd69f03e0) {				# ERET
		my $el = $sys{el};
		$next = $sys{"elr_el$el"};
		$sys{el} = $sys{"spsr_el$el"} >> 2 & 3;
	} elsif (($op & 0xffe0001c) == 0xd4000000 && ($op & 3)) {	# SVC, HVC
		$pc = $next;
		exception(1, host() || ($op & 3) == 2 ? 2 : 1);
		return;
	} else {
		die sprintf "%x: %08x?\n", $pc, $op;
	}
	$pc = $next;
}

for my $reg ('contextidr_el1', 'contextidr_el2') {
	says($reg) if defined $sys{$reg};
}
while ($n < 1000000) {
	my $to = defined $sys{hcr_el2} ? 2 : 1;
	exception(0, $to) if $irq{++$n} && $sys{el} < $to;
	my $op = memory->{$pc} // die sprintf "%x: no memory\n", $pc;
	my $el = $sys{el};
	line("IT ($n)", sprintf('%016x %08x O EL%d%s_n :', $pc, $op, $el, $el ? 'h' : 't'),
		guest() ? 'guest' : 'host');
	last if ($op & 0xffe0001f) == 0xd4400000;
	step($op);
}

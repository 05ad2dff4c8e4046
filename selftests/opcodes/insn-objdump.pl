#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# insn-objdump.pl LIST ISA KIND < TEXT: does csf_insn() agree with objdump on the same words?
#
# TEXT is objdump's of ISA.bin, KIND the file ISA.kind; insn_llvm -w writes both.  LIST has the words on which
# they differ, and why csf_insn() is right, as insn-disagreements:
#	isa mask value  # reason
# and, by objdump's names, words that look like a branch by their place or their name and are none:
#	isa =name  # reason
use strict;
use warnings;

my ($list, $isa, $kinds) = @ARGV;
my $a64 = $isa eq 'a64';
my (@row, @name, %seen, %example);
my ($n, $unknown, $unpredictable, $listed, $named, $different) = (0) x 6;
my $cc = '(?:eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al|nv)';

open(my $f, '<', $list) or die "$list: $!\n";
while (<$f>) {
	next if /^#|^$/;
	/^(\w+) (?:=(\S+)|([0-9a-f]{8}) ([0-9a-f]{8}))\s+#\s*\S/ or die "$list:$.: want: isa mask value # reason\n";
	next if substr($isa, 0, length $1) ne $1;
	if (defined $2) { push @name, $2 }
	else { push @row, [hex $3, hex $4, $., 0] }
}
open($f, '<:raw', $kinds) or die "$kinds: $!\n";
my $kind = do { local $/; <$f> };

# What the text says of flow, in the letters of insn_llvm -w; '?': objdump does not know it.
sub flow64
{
	my ($name) = @_;
	return '?' if $name eq '.inst';
	return 'B' if $name =~ /^(?:bl?|bc?\..+|cbn?z|tbn?z|cb[bh]?$cc)$/;
	return 'I' if $name =~ /^(?:blra?|bra?)(?:[ab]z?)?$|^(?:e?ret|texit)(?:[ab]{2})?(?:sppcr?)?$|^drps$/;
	return 'W' if $name =~ /^wf[ei]t?$/;
	return 'X' if $name =~ /^(?:svc|hvc|smc|tenter)$/;
	return $name eq 'isb' ? 'S' : $name eq 'tstart' ? 'T' : 'o';
}

# Instructions that may write pc; with any other it is UNPREDICTABLE, which objdump does not always
# say.
my $data32 = '(?:adc|add|and|bic|eor|mov|mvn|orr|rsb|rsc|sbc|sub|asr|lsl|lsr|ror|rrx)s?';

sub flow32
{
	my ($name, $args, $wide) = @_;
	$name =~ s/\.[nw]$//;
	return '?' if $args =~ /<undefined>|undefined instruction/ || $name =~ /^(?:\.(?:inst|word|short)|<|udf)|\?/;
	return 'I' if $name =~ /^(?:bx|bxj|bxns|blxns|bxaut)$cc?$/ || $name =~ /^(?:tbb|tbh|rfe\w*|eret$cc?)$/;
	return $args =~ /^(?:r\d|[a-z])/ ? 'I' : 'B' if $name =~ /^blx$cc?$/;
	return 'B' if $name =~ /^(?:bl?$cc?|cbn?z|le|letp|wls|wlstp(?:\.\d+)?)$/;
	return 'W' if $name =~ /^wf[ei]$cc?$/;
	return 'X' if $name =~ /^(?:svc|hvc|smc)$cc?$/;
	return 'S' if $name eq 'isb' || ($name =~ /^mcr$cc?$/ && $args =~ /^15, 0, \w+, cr7, cr5, \{4\}/);
	return 'I' if $name =~ /^(?:ldm|pop)/ && $args =~ /\{.*\bpc\b.*\}/;
	return 'o' if $args !~ /^pc\b/;
	return 'I' if $isa =~ /^a/ ? $name =~ /^$data32$cc?$|^ldrt?$cc?$/ :
				     $name =~ /^(?:add|mov|ldr)$cc?$/ && !$wide || $name =~ /^(?:subs|movs|ldr)$cc?$/;
	return 'u';
}

while (<STDIN>) {
	my ($at, $word, $name, $args) = /^ *([0-9a-f]+):\t([0-9a-f]+(?: [0-9a-f]+)?) *\t(\S+)\s*(.*)$/ or next;
	next if hex($at) & 3;
	my $ours = substr $kind, hex($at) / 4, 1;
	my $op = hex($word =~ s/ //r);
	my $theirs = $a64 ? flow64($name) : flow32($name, $args, $word =~ / /);
	$n++;
	$unknown++ if $theirs eq '?';
	if (($args =~ /UNPREDICTABLE/ || $theirs eq 'u') && $ours eq 'o') { $unpredictable++; next }
	my $by = $a64 ? ($op >> 26 & 7) == 5 : $name =~ /^(?:b|cb|tb|e?ret|le|wl)/;
	if ($theirs eq $ours || ($theirs eq '?' && $ours eq 'o')) {
		next if $theirs ne 'o' || !$by;
		(my $plain = $name) =~ s/\.[nw]$//;
		if (grep { $plain =~ /^$_$/ } @name) { $named++; next }
		$theirs = 'no line';
	} elsif (my ($row) = grep { ($op & $_->[0]) == $_->[1] } @row) {
		$row->[3]++;
		$listed++;
		next;
	}
	$different++;
	my $key = "csf_insn() $ours, objdump $theirs: $name";
	$example{$key} //= "$word $name $args";
	$seen{$key}++;
}
my $bad = $different || !$n;
printf "%s: %d words, %d objdump does not know, %d it calls unpredictable, %d listed, %d named, %d differ\n", $isa, $n,
	$unknown, $unpredictable, $listed, $named, $different;
my $shown = 0;
for (sort keys %seen) { printf "%8d %s  %s\n", $seen{$_}, $_, $example{$_} if $shown++ < 60 }
for (grep { !$_->[3] } @row) { printf "line %d is hit by no word\n", $_->[2]; $bad = 1 }
exit($bad ? 1 : 0);

#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# parts.pl FILE...   rules for make: an archive of each part of the source, and the archives that each
#                    test, fuzzer, bench and maker of recordings is linked with
#
# A part is the .c files of a folder.  In selftests/ and in folders lib/, where nouns are small, it is those
# of a noun: case.c and case-run.c.  A part needs the parts whose headers its files include.
use strict;
use warnings;

my (%objects, %includes);

sub part
{
	my ($file) = @_;

	return $1 if $file =~ m,^((?:selftests/.*|.*/lib)/\w+),;
	return $file =~ s,/[^/]*$,,r;
}

sub needs
{
	my ($part, $seen) = @_;

	return if $seen->{$part}++;
	needs($_, $seen) for keys %{$includes{$part}};
}

for my $file (@ARGV) {
	my ($part, $folder) = (part($file), $file =~ s,[^/]*$,,r);

	push @{$objects{$part}}, '$(B)/' . $file =~ s/c$/o/r if $file =~ /\.c$/;
	open(my $in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		next unless /^\s*#\s*include\s+"(.*)"/;
		my $header = "$folder$1";
		1 while $header =~ s,[^/.]+/\.\./,,;
		$includes{$part}{part($header)} = 1;
	}
}

for my $part (sort keys %objects) {
	if ($part =~ m,/(\w+_test|fuzz_\w+|bench\w*|mk\w+)$,) {
		needs($part, \my %needed);
		delete $needed{$part};
		print "\$(B)/$part: ", join(' ', map("\$(B)/$_.a", grep($objects{$_}, sort keys %needed))), "\n";
	} else {
		print "parts += \$(B)/$part.a\n\$(B)/$part.a: @{$objects{$part}}\n";
	}
}

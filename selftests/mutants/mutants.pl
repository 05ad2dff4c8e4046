#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.pl list		names, rules and files of the mutants, a line each
# mutants.pl apply		does each still fit the source, and was it caught once?  TAP
# mutants.pl run [NAME ...]	are they caught?  TAP; the tests that caught them go to $O/mutants/caught,
#				where the lines of mutants that are not run now stay
# mutants.pl keep		copies that file to selftests/mutants/caught
#
# A mutant is a small wrong change of the source; a test must fail with it.  They are in
# selftests/mutants/*.mutants, each a block of lines up to an empty one:
#
#	mutant	NAME
#	rule	what the source says rightly, with the section of the architecture's sheet or
#		the number of the pitfall; goes on in lines that begin with two tabs
#	file	PATH
#	-	line as it is; must be in the file exactly once, all - lines as one
#	+	line in its place, any number of them
#
# $PART, as 2/5: run only the second fifth of them.
#
# Run: in a copy of the source tree for each processor, built without sanitizers but with
# asserts; mutants that survive are tried once more with sanitizers, at the end.  The tests are
# those of `make check-core`, in $TESTS, in that order, but first the one that noticed last time,
# until one fails.  The copies stay, so that the next run need not build them anew.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Find;
use File::Path qw(make_path);

my $top = abs_path(dirname($0) . "/../..");
my $out = $ENV{O} // "$top/build";
my $limit = 120;		# seconds for a test; a mutant that hangs is caught
my $wanted = 95;		# per cent
my $kept = "$top/selftests/mutants/caught";	# lines: NAME, tab, the test that caught it

sub mutants
{
	my @all;

	for my $path (sort glob("$top/selftests/mutants/*.mutants")) {
		my ($m, $nr) = (undef, 0);

		open(my $in, '<', $path) or die "mutants: $path: $!\n";
		while (my $line = <$in>) {
			chomp $line;
			$nr++;
			next if $line =~ /^#/;
			if ($line eq '') {
				$m = undef;
			} elsif ($line =~ /^mutant\t(\S+)$/) {
				$m = { name => $1, rule => '', from => '', to => '' };
				push @all, $m;
			} elsif ($m && $line =~ /^rule\t(.+)$/) {
				$m->{rule} = $1;
			} elsif ($m && $line =~ /^\t\t(.+)$/) {
				$m->{rule} .= " $1";
			} elsif ($m && $line =~ /^file\t(\S+)$/) {
				$m->{file} = $1;
			} elsif ($m && $line =~ /^-(.*)$/) {
				$m->{from} .= "$1\n";
			} elsif ($m && $line =~ /^\+(.*)$/) {
				$m->{to} .= "$1\n";
			} else {
				die "mutants: $path:$nr: not understood: $line\n";
			}
		}
	}
	for my $m (@all) {
		die "mutants: $m->{name}: lacks a rule, a file or lines\n"
			unless $m->{rule} && $m->{file} && $m->{from} && $m->{to} ne $m->{from};
	}
	return @all;
}

sub slurp
{
	my ($path) = @_;

	open(my $in, '<', $path) or die "mutants: $path: $!\n";
	local $/;
	return scalar <$in>;
}

sub spill
{
	my ($path, $text) = @_;

	open(my $file, '>', $path) or die "mutants: $path: $!\n";
	print $file $text;
	close($file) or die "mutants: $path: $!\n";
}

# The mutated file; undef and a reason if it does not fit.
sub mutated
{
	my ($m, $dir) = @_;
	my $text = eval { slurp("$dir/$m->{file}") };
	my $at;

	return (undef, "no file $m->{file}") unless defined $text;
	$at = index("\n$text", "\n$m->{from}");
	return (undef, "its lines are not in $m->{file}") if $at < 0;
	return (undef, "its lines are in $m->{file} twice")
		if index("\n$text", "\n$m->{from}", $at + 1) >= 0;
	substr($text, $at, length $m->{from}) = $m->{to};
	return ($text, '');
}

sub apply
{
	my @all = mutants();
	my ($n, $bad, %seen) = (0, 0);

	my %caught = caught_by();

	print "1.." . @all . "\n";
	for my $m (@all) {
		my ($text, $why) = mutated($m, $top);

		$why = 'two mutants have this name' if $seen{$m->{name}}++;
		$why = 'not in selftests/mutants/caught' if !$why && !exists $caught{$m->{name}};
		$n++;
		$bad++ if $why;
		print $why ? "# $m->{name}: $why\nnot ok $n $m->{name}\n" : "ok $n $m->{name}\n";
	}
	return $bad != 0;
}

# Only files that differ here: what was built from the others is still right.
sub copy_tree
{
	my ($dir) = @_;
	my @paths = split /\0/, `cd '$top' && git ls-files -co --exclude-standard -z`;
	my %wanted = map { ("$dir/$_" => 1) } @paths;

	for my $path (grep { -f "$top/$_" } @paths) {
		next if -f "$dir/$path" && slurp("$dir/$path") eq slurp("$top/$path");
		make_path(dirname("$dir/$path"));
		system('cp', "$top/$path", "$dir/$path") == 0
			or die "mutants: cannot copy $path to $dir\n";
	}
	find({ no_chdir => 1, wanted => sub {
		$File::Find::prune = 1 if $_ eq "$dir/build";
		unlink $_ if -f $_ && !$wanted{$_};
	} }, $dir);
	die "mutants: cannot copy the tree to $dir\n" unless -f "$dir/Makefile";
}

# Return: the reason why @test fails; '' if it passes.
sub fails
{
	my ($dir, $variant, $test) = @_;
	my $build = "$dir/build";
	my ($source) = glob("$dir/selftests/*/$test.c");
	my $program = "$build/$variant" . substr($source, length($dir), -2);
	my $make = "make -s -C '$dir' O='$build' LINUX='$out/linux' VARIANT=$variant";

	# A mutant that the compiler refuses shows nothing: it must be corrected.
	return 'build' if system("$make '$program' > '$dir/make.log' 2>&1");
	# The harness gives each test a process group, which timeout does not reach.
	return '' unless system("cd '$dir' && ulimit -t $limit && timeout -k 5 $limit '$program' > '$dir/test.log' 2>&1");
	return $test;
}

# The test that caught each mutant when the results were last kept.
sub caught_by
{
	return read_caught($kept);
}

# Tests that are likely to notice come first.
sub nearest
{
	my ($m, $first, @tests) = @_;
	my $near = $m->{file} =~ m{^perf-plugin/} ? qr/^(sample|plugin|perf_|map_)/ :
		   $m->{file} =~ m{^tools/encoder/} ? qr/^encode/ : qr/^$/;
	my @rest = grep { $_ ne $first } @tests;

	return ((grep { $_ eq $first } @tests), (grep { /$near/ } @rest),
		(grep { !/$near/ } @rest));
}

sub try
{
	my ($dir, $variant, $m, @tests) = @_;
	my ($text, $why) = mutated($m, $top);
	my $path = "$dir/$m->{file}";
	my $caught = '';

	return "does not fit: $why" unless defined $text;
	spill($path, $text);
	for my $test (@tests) {
		$caught = fails($dir, $variant, $test);
		last if $caught;
	}
	spill($path, slurp("$top/$m->{file}"));
	return $caught;
}

sub worker
{
	my ($nr, $jobs, $tests, @all) = @_;
	my $dir = "$out/mutants/$nr";
	my %last = caught_by();
	my @mine = @all[grep { $_ % $jobs == $nr } 0 .. $#all];

	copy_tree($dir);
	make_path("$dir/build");
	symlink("$out/linux", "$dir/build/linux");
	open(my $result, '>', "$out/mutants/result.$nr") or die "mutants: result: $!\n";
	$result->autoflush(1);
	for my $variant ('plain', 'check') {
		my (@survive, %sound);

		for my $m (@mine) {
			my @order = nearest($m, $last{$m->{name}} // '', @$tests);
			my $why = try($dir, $variant, $m, @order);

			# A test that notices must pass without the mutant.
			if ($why =~ /_test$/ && !$sound{$why}++ && fails($dir, $variant, $why)) {
				print $result "unmutated\t$why\n";
				return;
			}
			print $result "$m->{name}\t$why\n" if $why || $variant eq 'check';
			push @survive, $m unless $why;
		}
		@mine = @survive;
	}
}

sub results
{
	my ($jobs) = @_;
	my %by;

	for my $nr (0 .. $jobs - 1) {
		for my $line (split /\n/, slurp("$out/mutants/result.$nr")) {
			my ($name, $test) = split /\t/, $line, 2;

			$by{$name} = $test // '';
		}
	}
	return %by;
}

# The @part of @all, such as 2/5; all of them if no part is given.
sub part
{
	my ($part, @all) = @_;

	return @all unless defined $part && $part ne '';
	my ($nr, $of) = $part =~ m{^(\d+)/(\d+)$};
	die "mutants: PART is $part, and should be as 2/5\n"
		unless $of && $nr >= 1 && $nr <= $of;
	return @all[int(@all * ($nr - 1) / $of) .. int(@all * $nr / $of) - 1];
}

sub read_caught
{
	my ($path) = @_;

	return -f $path ? map { my ($name, $test) = split /\t/; $name => $test // '' }
			  grep { !/^#/ } split /\n/, slurp($path) : ();
}

# The results of earlier runs of other parts stay.
sub write_caught
{
	my ($by) = @_;
	my %caught = (read_caught("$out/mutants/caught"), %$by);

	spill("$out/mutants/caught", join '', map { "$_\t$caught{$_}\n" }
	      grep { exists $caught{$_} } map { $_->{name} } mutants());
}

sub run
{
	my @names = @_;
	my @some = part($ENV{PART}, mutants());
	my %known = map { $_->{name} => $_ } @some;
	my @all = @names ? grep { defined } @known{@names} : @some;
	my @tests = split ' ', $ENV{TESTS} // 'case_test packet_test walker_test';
	my $jobs = $ENV{JOBS} // `nproc` + 0;
	my ($caught, $broken, %by) = (0, 0);

	# As for run.sh: a test may ask for more memory than there is.
	$ENV{ASAN_OPTIONS} //= 'detect_leaks=1:allocator_may_return_null=1';
	die 'mutants: none here is called ' . join(' or ', grep { !$known{$_} } @names) . "\n"
		if @names && @all != @names;
	make_path("$out/mutants");
	for my $nr (0 .. $jobs - 1) {
		next if fork();
		worker($nr, $jobs, \@tests, @all);
		exit 0;
	}
	1 while wait() > 0;

	%by = results($jobs);
	if (exists $by{unmutated}) {
		print "not ok 1 the tests pass where nothing is mutated: $by{unmutated}\n";
		return 1;
	}
	write_caught(\%by);
	for my $m (@all) {
		my $test = $by{$m->{name}} // 'not tried';

		$broken++ if $test =~ /^(build|does not fit|not tried)/;
		$caught++ if $test =~ /_test$/;
		print "# survived: $m->{name}: $m->{rule}\n" if $test eq '';
		print "# broken: $m->{name}: $test\n" if $test =~ /^(build|does not fit|not tried)/;
	}
	printf "# %d of %d mutants caught\n", $caught, scalar @all;
	printf "%s 1 every mutant fits and builds\n", $broken ? 'not ok' : 'ok';
	printf "%s 2 at least %d %% of the mutants are caught\n",
		$caught * 100 >= $wanted * @all ? 'ok' : 'not ok', $wanted;
	print "1..2\n";
	return $broken || $caught * 100 < $wanted * @all;
}

sub keep
{
	my %caught = read_caught("$out/mutants/caught");
	my @not_run = grep { !exists $caught{$_} } map { $_->{name} } mutants();

	die 'mutants: not run yet: ' . join(' ', @not_run) . "\n" if @not_run;
	spill($kept, "# SPDX-License-Identifier: GPL-2.0-only\n" . slurp("$out/mutants/caught"));
}

my $what = shift // '';
if ($what eq 'list') {
	print "$_->{name}\t$_->{file}\t$_->{rule}\n" for mutants();
} elsif ($what eq 'apply') {
	exit apply();
} elsif ($what eq 'run') {
	exit run(@ARGV);
} elsif ($what eq 'keep') {
	keep();
} else {
	print STDERR "usage: mutants.pl list | apply | run [NAME ...] | keep\n";
	exit 2;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "itrace.h"

const char itrace_letters[] =
	"  b           branches, exceptions, begins and ends of trace\n"
	"  c           only calls, exceptions, and ends of trace\n"
	"  r           only returns, and begins of trace\n"
	"  i[N[UNIT]]  an instruction for each N instructions (i), ticks (t), us, ms or ns\n"
	"  y[N[UNIT]]  cycles, likewise\n"
	"  x           starts, commits and failures of transactions\n"
	"  e[-o][-l]   losses; without overflows (o), without those of the buffer (l)\n"
	"  g[N]        with a call chain of N entries\n"
	"  l[N]        with the last N branches\n"
	"  sN          leave out the first N samples\n"
	"  q           only where the trace has an address; qq: fewer\n"
	"  A           ipc at each sample\n"
	"  Z           ignore timestamps\n"
	"  T           take timestamps as perf's clock\n"
	"  d[+o]       log the decoding, in csflow.log; +o: on standard output\n";

/* The position in the words, and the first fault. */
struct words {
	const char *p;
	const char *why;
	bool has_unit, has_period;
};

static void blanks(struct words *w)
{
	while (*w->p == ' ' || *w->p == ',')
		w->p++;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint64_t number(struct words *w)
{
	uint64_t n = 0;

	for (; digit(*w->p); w->p++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *w->p - '0', &n))
			w->why = "a number that is too large";
	return n;
}

/* After a number: i, t, ns, us, ms, or the end of the words. */
static void unit(struct words *w, struct itrace *it)
{
	uint64_t scale = 1;

	blanks(w);
	if (!*w->p)
		return;
	w->has_unit = true;
	switch (*w->p++) {
	case 'i':
		it->unit = ITRACE_INSNS;
		return;
	case 't':
		it->unit = ITRACE_TICKS;
		return;
	case 'm':
		scale = 1000000;
		break;
	case 'u':
		scale = 1000;
		break;
	case 'n':
		break;
	default:
		w->why = "a period needs a unit: i, t, ns, us or ms";
		return;
	}
	if (*w->p != 's')
		w->why = "a period needs a unit: i, t, ns, us or ms";
	else if (__builtin_mul_overflow(it->period, scale, &it->period))
		w->why = "a number that is too large";
	else
		w->p++;
	it->unit = ITRACE_NS;
}

static void period(struct words *w, struct itrace *it)
{
	blanks(w);
	if (!digit(*w->p))
		return;
	w->has_period = true;
	it->period = number(w);
	if (!w->why)
		unit(w, it);
}

/* A size after a letter; @n if there is none. */
static unsigned int size(struct words *w, unsigned int n)
{
	uint64_t v;

	blanks(w);
	if (!digit(*w->p))
		return n;
	v = number(w);
	if (!v || v > ITRACE_SIZE_MAX)
		w->why = "a size that is not 1 to 1024";
	return v;
}

/* "+o-l": sets bits by the letters' places in the alphabet. */
static void flags(struct words *w, uint32_t *plus, uint32_t *minus)
{
	*plus = 0;
	*minus = 0;
	while (*w->p == '+' || *w->p == '-') {
		uint32_t *set = *w->p == '+' ? plus : minus;

		w->p++;
		if (*w->p < 'a' || *w->p > 'z') {
			w->why = "a + or - without a letter";
			return;
		}
		*set |= 1u << (*w->p++ - 'a');
	}
}

static void errors(struct words *w, struct itrace *it)
{
	uint32_t plus, minus;

	flags(w, &plus, &minus);
	it->samples.errors = true;
	it->samples.errors_not = minus & ~plus;
}

static void log_of(struct words *w, struct itrace *it)
{
	uint32_t plus, minus;

	flags(w, &plus, &minus);
	it->log = true;
	it->log_stdout = plus & 1u << ('o' - 'a');
}

/* Letters without anything after them.  Return: it is one. */
static bool plain(struct itrace *it, char c)
{
	struct cs_samples_options *o = &it->samples;

	switch (c) {
	case 'b':
		o->branches = true;
		return true;
	case 'c':
		o->calls = true;
		return true;
	case 'r':
		o->returns = true;
		return true;
	case 'x':
		o->transactions = true;
		return true;
	case 'A':
		o->approx_ipc = true;
		return true;
	case 'q':
		o->quick += o->quick < 2;
		return true;
	case 'Z':
		it->timeless = true;
		return true;
	case 'T':
		it->trust = true;
		return true;
	default:
		return strchr("wpoIfmtaM ,", c);
	}
}

static void letter(struct words *w, struct itrace *it, char c)
{
	switch (c) {
	case 'i':
		it->samples.insns = true;
		period(w, it);
		break;
	case 'y':
		it->samples.cycles = true;
		period(w, it);
		break;
	case 'e':
		errors(w, it);
		break;
	case 'd':
		log_of(w, it);
		break;
	case 'g':
		it->chain = size(w, ITRACE_CHAIN);
		break;
	case 'G':
		it->add_chain = size(w, ITRACE_CHAIN);
		break;
	case 'l':
		it->branches = size(w, ITRACE_BRANCHES);
		break;
	case 'L':
		it->add_branches = size(w, ITRACE_BRANCHES);
		break;
	case 's':
		if (!digit(*w->p))
			w->why = "s needs a number";
		it->samples.skip = number(w);
		break;
	default:
		if (plain(it, c))
			break;
		w->why = "a letter that perf does not know";
		it->unknown = c;
	}
}

const char *itrace_parse(struct itrace *it, const char *text)
{
	struct words w = { .p = text };

	while (!w.why && *w.p) {
		char c = *w.p++;

		letter(&w, it, c);
	}
	if (it->samples.insns || it->samples.cycles) {
		if (!w.has_period)
			it->period = ITRACE_PERIOD;
		if (!w.has_unit)
			it->unit = ITRACE_NS;
	}
	it->samples.branches |= it->samples.calls || it->samples.returns;
	it->samples.moves = it->chain || it->branches;
	it->samples.last_branch = it->branches;
	it->samples.timeless = it->timeless;
	return w.why;
}

void itrace_period(struct itrace *it, uint64_t ns, uint64_t ticks)
{
	struct cs_samples_options *o = &it->samples;

	o->period = it->period;
	o->period_unit = it->unit == ITRACE_INSNS ? CS_PERIOD_INSNS : CS_PERIOD_TIME;
	if (it->unit != ITRACE_TICKS || !ns || !ticks || !it->period)
		return;
	if (__builtin_mul_overflow(o->period, ns, &o->period))
		o->period = UINT64_MAX;
	o->period /= ticks;
	o->period += !o->period;
}

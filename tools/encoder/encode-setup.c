// SPDX-License-Identifier: GPL-2.0-only
/* The option string of a trace unit, and its registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* TRCIDR0 */
#define IDR0_BUILT	0x0801cea1	/* BB, CCI, return stack, 4 events, QFILT, 64-bit times */
#define IDR0_Q_EITHER	0x00018000
#define IDR0_Q_COUNT	0x00008000
#define IDR0_ITE	0x00400000
#define IDR0_TSMARK	0x00800000
#define IDR0_COMMOPT	0x20000000
#define IDR0_COMMTRANS	0x40000000
/* TRCIDR2: 64-bit addresses, 32-bit context IDs, 20-bit cycle counter, CONTEXTIDR_EL2 possible */
#define IDR2_BUILT	0x50000088
#define IDR2_VMID	10		/* shift: bytes of a VMID */
/* The sizes of VMIDs, context IDs and addresses, and VMIDOPT */
#define IDR2_SIZES	0x60007fff
#define IDR2_32BIT	0x00000004
#define IDR2_WFX	0x80000000
/* TRCCONFIGR */
#define CONFIG_BUILT	0x00000001
#define CONFIG_BB	0x00000008
#define CONFIG_CCI	0x00000010
#define CONFIG_CID	0x00000040
#define CONFIG_VMID	0x00000080
#define CONFIG_TS	0x00000800
#define CONFIG_RS	0x00001000
#define CONFIG_Q_COUNT	0x00002000
#define CONFIG_Q_EITHER	0x00006000
#define CONFIG_VMIDOPT	0x00008000

/* A word of the string, and the setup under construction. */
struct word {
	struct enc_setup *setup;
	char text[64];
	char *value;		/* after the =, or NULL */
	char *problem;
	unsigned int version;	/* 0x4n, 0x5n */
	bool wfx_given, commopt_given, m;
};

static int wrong(const struct word *w, const char *what)
{
	snprintf(w->problem, ENC_PROBLEM_MAX, "%s%s%s: %s", w->text, w->value ? "=" : "",
		 w->value ? w->value : "", what);
	return CSF_ERR_ARG;
}

/* Reads a number; *@at moves past it. */
static bool number(char **at, uint64_t *value)
{
	const char *p = *at;

	if (*p < '0' || *p > '9')
		return false;
	*value = strtoull(p, at, p[0] == '0' && (p[1] | 0x20) == 'x' ? 16 : 10);
	return true;
}

/* The value as one number from @low to @high, or two with @between between them. */
static int value_number(const struct word *w, uint64_t low, uint64_t high, uint64_t *value)
{
	char *at = w->value;

	if (!at || !number(&at, value) || *at)
		return wrong(w, "want a number");
	if (*value < low || *value > high)
		return wrong(w, "out of range");
	return 0;
}

static int value_pair(const struct word *w, char between, uint64_t *a, uint64_t *b)
{
	char *at = w->value;

	if (!at || !number(&at, a) || *at++ != between || !number(&at, b) || *at)
		return wrong(w, between == ':' ? "want N:N" : "want FROM-TO");
	return 0;
}

/* ---------------------------------------------------------------- words */

static int version_word(struct word *w, unsigned int major, unsigned int minor_max)
{
	const char *v = w->value;

	if (!v || strlen(v) != 3 || v[0] != (major == 4 ? '4' : '1') || v[1] != '.' ||
	    v[2] < '0' || v[2] > '0' + (int)minor_max)
		return wrong(w, major == 4 ? "want 4.0 to 4.6" : "want 1.0 to 1.3");
	w->version = major << 4 | (v[2] - '0');
	return 0;
}

static int range_word(struct word *w, struct enc_ranges *ranges)
{
	struct enc_range *r = &ranges->range[ranges->n];

	if (ranges->n == ENC_RANGES)
		return wrong(w, "too many of these");
	if (value_pair(w, '-', &r->from, &r->to))
		return CSF_ERR_ARG;
	if (r->from >= r->to)
		return wrong(w, "empty range");
	ranges->n++;
	return 0;
}

/* Words for a register bit, and perhaps for a built-in property. */
static const struct {
	const char *name;
	uint32_t config, idr0;
} flags[] = {
	{ "vmidopt", CONFIG_VMIDOPT | CONFIG_VMID, 0 },
	{ "commtrans", 0, IDR0_COMMTRANS },
	{ "marker", 0, IDR0_TSMARK },
};

static const char *const rates[ENC_RATES] = {
	[ENC_RATE_Q] = "q",
	[ENC_RATE_SOURCE] = "source",
	[ENC_RATE_SPEC] = "spec",
	[ENC_RATE_TM] = "tm",
	[ENC_RATE_EVENT] = "event",
	[ENC_RATE_ITE] = "ite",
	[ENC_RATE_IGNORE] = "ignore",
	[ENC_RATE_OVERFLOW] = "overflow",
	[ENC_RATE_DISCARD] = "discard",
	[ENC_RATE_TRUNCATE] = "truncate",
};

/* Q and speculation have a second number. */
static int q_word(struct word *w)
{
	uint64_t n, elements = 3;

	if (w->value && strchr(w->value, ':')) {
		if (value_pair(w, ':', &n, &elements))
			return CSF_ERR_ARG;
	} else if (value_number(w, 1, UINT32_MAX, &n)) {
		return CSF_ERR_ARG;
	}
	if (!n || n > UINT32_MAX || (elements != 1 && elements != 3))
		return wrong(w, "want N, N:1 or N:3");
	w->setup->rate[ENC_RATE_Q] = n;
	w->setup->config.trcconfigr |= elements == 1 ? CONFIG_Q_COUNT : CONFIG_Q_EITHER;
	return 0;
}

static int spec_word(struct word *w)
{
	uint64_t depth, n = 0;

	if (w->value && strchr(w->value, ':')) {
		if (value_pair(w, ':', &depth, &n))
			return CSF_ERR_ARG;
	} else if (value_number(w, 1, UINT32_MAX, &depth)) {
		return CSF_ERR_ARG;
	}
	if (!depth || depth > 1000 || n > UINT32_MAX)
		return wrong(w, "want a depth from 1 to 1000");
	w->setup->spec_depth = depth;
	w->setup->rate[ENC_RATE_SPEC] = n;
	return 0;
}

static int rate_word(struct word *w, enum enc_rate rate)
{
	uint64_t n;

	if (rate == ENC_RATE_Q)
		return q_word(w);
	if (rate == ENC_RATE_SPEC)
		return spec_word(w);
	if (value_number(w, 1, UINT32_MAX, &n))
		return CSF_ERR_ARG;
	w->setup->rate[rate] = n;
	return 0;
}

static int stack_word(struct word *w)
{
	uint64_t n = 15;

	if (w->value && value_number(w, 1, 15, &n))
		return CSF_ERR_ARG;
	w->setup->stack = n;
	w->setup->config.trcconfigr |= CONFIG_RS;
	return 0;
}

static int broadcast_word(struct word *w)
{
	w->setup->config.trcconfigr |= CONFIG_BB;
	return w->value ? range_word(w, &w->setup->broadcast) : 0;
}

static int cycles_word(struct word *w)
{
	uint64_t n;

	if (value_number(w, 1, 4095, &n))
		return CSF_ERR_ARG;
	w->setup->threshold = n;
	w->setup->config.trcconfigr |= CONFIG_CCI;
	return 0;
}

static int time_word(struct word *w)
{
	if (value_number(w, 1, UINT64_MAX, &w->setup->time_period))
		return CSF_ERR_ARG;
	w->setup->config.trcconfigr |= CONFIG_TS;
	return 0;
}

static int id_word(struct word *w, uint32_t bit)
{
	uint64_t n = 32;

	if (w->value && value_number(w, 1, 32, &n))
		return CSF_ERR_ARG;
	if (n != 32 && (bit == CONFIG_CID || (n != 16 && n != 8)))
		return wrong(w, bit == CONFIG_CID ? "want 32" : "want 8, 16 or 32");
	w->setup->config.trcconfigr |= bit;
	if (bit == CONFIG_VMID) {
		w->setup->config.trcidr2 &= ~(0x1fu << IDR2_VMID);
		w->setup->config.trcidr2 |= n / 8 << IDR2_VMID;
	}
	return 0;
}

static int strobe_word(struct word *w)
{
	struct enc_setup *s = w->setup;

	if (value_pair(w, ':', &s->strobe_on, &s->strobe_off))
		return CSF_ERR_ARG;
	return s->strobe_on && s->strobe_off ? 0 : wrong(w, "want two numbers above 0");
}

static int switch_word(struct word *w)
{
	const bool on = w->value && !strcmp(w->value, "1");
	struct enc_setup *s = w->setup;

	if (!w->value || strlen(w->value) != 1 || (!on && *w->value != '0'))
		return wrong(w, "want 0 or 1");
	if (!strcmp(w->text, "wfx")) {
		s->wfx = on;
		w->wfx_given = true;
	} else {
		s->config.trcidr0 &= ~IDR0_COMMOPT;
		s->config.trcidr0 |= on ? IDR0_COMMOPT : 0;
		w->commopt_given = true;
	}
	return 0;
}

static int number_word(struct word *w)
{
	struct enc_setup *s = w->setup;
	uint64_t n;

	if (!strcmp(w->text, "seed"))
		return value_number(w, 0, UINT64_MAX, &s->seed);
	if (!strcmp(w->text, "sync")) {
		if (value_number(w, 0, UINT32_MAX, &n))
			return CSF_ERR_ARG;
		s->sync = n;
		return 0;
	}
	if (value_number(w, 1, 1000000, &n))
		return CSF_ERR_ARG;
	s->lose = n;
	return 0;
}

static int flag_word(struct word *w)
{
	struct enc_setup *s = w->setup;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (strcmp(w->text, flags[i].name))
			continue;
		if (w->value)
			return wrong(w, "has no value");
		s->config.trcconfigr |= flags[i].config;
		s->config.trcidr0 |= flags[i].idr0;
		return 0;
	}
	if (!strcmp(w->text, "likely"))
		s->likely_only = true;
	else if (!strcmp(w->text, "targetfirst"))
		s->target_first = true;
	else if (!strcmp(w->text, "m"))
		w->m = true;
	else
		return wrong(w, "no such word");
	return w->value ? wrong(w, "has no value") : 0;
}

static int one_word(struct word *w)
{
	const char *t = w->text;

	for (int i = 0; i < ENC_RATES; i++)
		if (!strcmp(t, rates[i]))
			return rate_word(w, i);
	if (!strcmp(t, "ete"))
		return version_word(w, 5, 3);
	if (!strcmp(t, "etm4"))
		return version_word(w, 4, 6);
	if (!strcmp(t, "rs"))
		return stack_word(w);
	if (!strcmp(t, "bb"))
		return broadcast_word(w);
	if (!strcmp(t, "cc"))
		return cycles_word(w);
	if (!strcmp(t, "ts"))
		return time_word(w);
	if (!strcmp(t, "cid"))
		return id_word(w, CONFIG_CID);
	if (!strcmp(t, "vmid"))
		return id_word(w, CONFIG_VMID);
	if (!strcmp(t, "range"))
		return range_word(w, &w->setup->include);
	if (!strcmp(t, "exclude"))
		return range_word(w, &w->setup->exclude);
	if (!strcmp(t, "strobe"))
		return strobe_word(w);
	if (!strcmp(t, "wfx") || !strcmp(t, "commopt"))
		return switch_word(w);
	if (!strcmp(t, "seed") || !strcmp(t, "sync") || !strcmp(t, "lose"))
		return number_word(w);
	return flag_word(w);
}

/* ---------------------------------------------------------------- all words together */

static int conflict(const struct word *w, const char *what)
{
	snprintf(w->problem, ENC_PROBLEM_MAX, "%s", what);
	return CSF_ERR_ARG;
}

/* M profile has neither processes nor virtual machines, and no trace unit of it is an ETE. */
static int check_m(const struct word *w)
{
	const struct enc_setup *s = w->setup;

	if (w->version >= 0x50)
		return conflict(w, "m: M profile has ETMv4: etm4=4.0 to 4.6");
	if (s->config.trcconfigr & (CONFIG_CID | CONFIG_VMID))
		return conflict(w, "cid, vmid: M profile has neither");
	return 0;
}

/* Checks for words that do not fit together, or do not exist in this version. */
static int check(const struct word *w)
{
	const struct enc_setup *s = w->setup;
	const uint32_t config = s->config.trcconfigr;
	const bool ete = w->version >= 0x50;

	if (w->m && check_m(w))
		return CSF_ERR_ARG;
	if (s->rate[ENC_RATE_SOURCE] && !ete)
		return conflict(w, "source: ETMv4 has no source addresses");
	if (s->rate[ENC_RATE_TM] && !ete)
		return conflict(w, "tm: ETMv4 has no transactions");
	if (s->rate[ENC_RATE_ITE] && w->version < 0x53)
		return conflict(w, "ite: from ETE 1.3 on");
	if (s->rate[ENC_RATE_IGNORE] && w->version < 0x43)
		return conflict(w, "ignore: from ETMv4.3 on");
	if (s->rate[ENC_RATE_Q] && config & CONFIG_BB)
		return conflict(w, "q: not with bb");
	if (s->marker && (w->version < 0x46 || w->version == 0x50))
		return conflict(w, "marker: ETMv4.6, or from ETE 1.1 on");
	if (s->marker && !(config & CONFIG_TS))
		return conflict(w, "marker: of timestamps, so say ts=N too");
	if (w->wfx_given && s->wfx && w->version < 0x43)
		return conflict(w, "wfx: from ETMv4.3 on");
	if (s->tm_quiet && (!ete || !s->spec_depth))
		return conflict(w, "commtrans: ETE, with spec=DEPTH");
	if (s->likely_only && !s->rate[ENC_RATE_SPEC])
		return conflict(w, "likely: with spec=DEPTH:N");
	if (w->commopt_given && !(s->config.trcidr0 & IDR0_COMMOPT) && !s->spec_depth)
		return conflict(w, "commopt=0: with spec=DEPTH only");
	if (config & CONFIG_VMID && (s->config.trcidr2 >> IDR2_VMID & 0x1f) != 4 && ete)
		return conflict(w, "vmid: ETE has 32 bits");
	if (config & CONFIG_VMID && (s->config.trcidr2 >> IDR2_VMID & 0x1f) != 1 &&
	    w->version == 0x40)
		return conflict(w, "vmid: ETMv4.0 has vmid=8");
	return 0;
}

static void registers(const struct word *w)
{
	struct csf_config *c = &w->setup->config;
	const unsigned int minor = w->version & 0xf;

	if (w->version >= 0x50) {
		c->trcdevarch = 0x47705a13 | minor << 16;
		c->trcidr1 = 0x4100fff0;
	} else {
		c->trcidr1 = 0x4100f403 | minor << 4;
	}
	if (w->version >= 0x53)
		c->trcidr0 |= IDR0_ITE;
	if (w->setup->rate[ENC_RATE_Q] && (c->trcconfigr & CONFIG_Q_EITHER) == CONFIG_Q_COUNT)
		c->trcidr0 &= ~(IDR0_Q_EITHER & ~IDR0_Q_COUNT);
	if (w->setup->wfx)
		c->trcidr2 |= IDR2_WFX;
	c->trcidr8 = w->setup->spec_depth;
	if (w->m) {
		c->profile = CSF_PROFILE_M;
		c->trcidr2 = (c->trcidr2 & ~IDR2_SIZES) | IDR2_32BIT;
	}
}

static void defaults(struct enc_setup *setup)
{
	*setup = (struct enc_setup){
		.config = {
			.size = sizeof(struct csf_config),
			.trcidr0 = IDR0_BUILT | IDR0_COMMOPT,
			.trcidr2 = IDR2_BUILT | 4 << IDR2_VMID,
			.trcconfigr = CONFIG_BUILT,
		},
		.sync = 4096,
		.lose = 32,
		.seed = 1,
	};
}

/* Takes a word from the string.  Return: there was one that is not too long. */
static bool next_word(struct word *w, const char **words)
{
	const size_t n = strcspn(*words, ",");
	char *equals;

	w->value = NULL;
	snprintf(w->text, sizeof(w->text), "%.*s", n < 200 ? (int)n : 200, *words);
	if (n >= sizeof(w->text))
		return false;
	*words += n + ((*words)[n] == ',');
	equals = strchr(w->text, '=');
	if (equals) {
		*equals = 0;
		w->value = equals + 1;
	}
	return true;
}

int enc_setup_parse(struct enc_setup *setup, const char *words, char *problem)
{
	struct word w = { .setup = setup, .problem = problem, .version = 0x51 };

	defaults(setup);
	*problem = 0;
	while (words && *words) {
		if (!next_word(&w, &words))
			return wrong(&w, "too long");
		if (one_word(&w))
			return CSF_ERR_ARG;
	}
	if (!w.wfx_given)
		setup->wfx = w.version >= 0x43;
	setup->marker = setup->config.trcidr0 & IDR0_TSMARK;
	setup->tm_quiet = setup->config.trcidr0 & IDR0_COMMTRANS;
	if (check(&w))
		return CSF_ERR_ARG;
	registers(&w);
	return 0;
}

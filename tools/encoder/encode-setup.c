// SPDX-License-Identifier: GPL-2.0-only
/* The option string of a trace unit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode-setup.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

int setup_wrong(const struct word *w, const char *what)
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
		return setup_wrong(w, "want a number");
	if (*value < low || *value > high)
		return setup_wrong(w, "out of range");
	return 0;
}

static int value_pair(const struct word *w, char between, uint64_t *a, uint64_t *b)
{
	char *at = w->value;

	if (!at || !number(&at, a) || *at++ != between || !number(&at, b) || *at)
		return setup_wrong(w, between == ':' ? "want N:N" : "want FROM-TO");
	return 0;
}

/* ---------------------------------------------------------------- words */

static int version_word(struct word *w, enum csf_protocol protocol, const char *versions)
{
	const char *v = w->value;
	char want[64];

	if (!v || strlen(v) != 3 || v[0] != versions[0] || v[1] != '.' || v[2] < versions[2] ||
	    v[2] > versions[7]) {
		snprintf(want, sizeof(want), "want %.3s to %s", versions, versions + 5);
		return setup_wrong(w, want);
	}
	w->protocol = protocol;
	w->minor = v[2] - '0';
	return 0;
}

static int ete_word(struct word *w)
{
	return version_word(w, CSF_PROTOCOL_ETE, "1.0, 1.3");
}

static int etm4_word(struct word *w)
{
	return version_word(w, CSF_PROTOCOL_ETM4, "4.0, 4.6");
}

static int ptm_word(struct word *w)
{
	return version_word(w, CSF_PROTOCOL_PTM, "1.0, 1.1");
}

static int mtb_word(struct word *w)
{
	uint64_t size = 4096;

	if (w->value && value_number(w, 16, 1u << 30, &size))
		return CSF_ERR_ARG;
	if (size & (size - 1))
		return setup_wrong(w, "want a power of two");
	w->setup->mtb_size = size;
	w->protocol = CSF_PROTOCOL_MTB;
	return 0;
}

static int etm3_word(struct word *w)
{
	return version_word(w, CSF_PROTOCOL_ETM3, "3.0, 3.5");
}

/* Reads which data is traced; without a value addresses and values. */
static int data_word(struct word *w)
{
	w->data = SETUP_DATA;
	if (!w->value)
		return 0;
	if (!strcmp(w->value, "values"))
		w->data = SETUP_VALUES;
	else if (!strcmp(w->value, "addresses"))
		w->data = SETUP_ADDRESSES;
	else
		return setup_wrong(w, "want values or addresses");
	return 0;
}

static int range_word(struct word *w, struct enc_ranges *ranges)
{
	struct enc_range *r = &ranges->range[ranges->n];

	if (ranges->n == ENC_RANGES)
		return setup_wrong(w, "too many of these");
	if (value_pair(w, '-', &r->from, &r->to))
		return CSF_ERR_ARG;
	if (r->from >= r->to)
		return setup_wrong(w, "empty range");
	ranges->n++;
	return 0;
}

static int include_word(struct word *w)
{
	return range_word(w, &w->setup->include);
}

static int exclude_word(struct word *w)
{
	return range_word(w, &w->setup->exclude);
}

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
	[ENC_RATE_LATE] = "late",
	[ENC_RATE_UNTRACED] = "untraced",
	[ENC_RATE_SUPPRESS] = "suppress",
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
		return setup_wrong(w, "want N, N:1 or N:3");
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
		return setup_wrong(w, "want a depth from 1 to 1000");
	w->setup->spec_depth = depth;
	w->setup->rate[ENC_RATE_SPEC] = n;
	return 0;
}

static int rate_word(struct word *w)
{
	enum enc_rate rate = 0;
	uint64_t n;

	while (!rates[rate] || strcmp(w->text, rates[rate]))
		rate++;
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
	uint64_t n = 0;

	if (w->value && value_number(w, 1, 4095, &n))
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

static int time_bits_word(struct word *w)
{
	uint64_t n;

	if (value_number(w, 48, 64, &n))
		return CSF_ERR_ARG;
	if (n != 48 && n != 64)
		return setup_wrong(w, "want 48 or 64");
	w->time_bits = n;
	return 0;
}

/* 8, 16 or 32 */
static int bits_word(struct word *w, uint32_t *bits)
{
	uint64_t n = 32;

	if (w->value && value_number(w, 1, 32, &n))
		return CSF_ERR_ARG;
	if (n != 32 && n != 16 && n != 8)
		return setup_wrong(w, "want 8, 16 or 32");
	*bits = n;
	return 0;
}

static int cid_word(struct word *w)
{
	w->setup->config.trcconfigr |= CONFIG_CID;
	return bits_word(w, &w->cid_bits);
}

static int vmid_word(struct word *w)
{
	w->setup->config.trcconfigr |= CONFIG_VMID;
	w->vmid_given = w->value;
	return bits_word(w, &w->vmid_bits);
}

static int strobe_word(struct word *w)
{
	struct enc_setup *s = w->setup;

	if (value_pair(w, ':', &s->strobe_on, &s->strobe_off))
		return CSF_ERR_ARG;
	return s->strobe_on && s->strobe_off ? 0 : setup_wrong(w, "want two numbers above 0");
}

static int switch_word(struct word *w)
{
	const bool on = w->value && !strcmp(w->value, "1");
	struct enc_setup *s = w->setup;

	if (!w->value || strlen(w->value) != 1 || (!on && *w->value != '0'))
		return setup_wrong(w, "want 0 or 1");
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

static int seed_word(struct word *w)
{
	return value_number(w, 0, UINT64_MAX, &w->setup->seed);
}

static int sync_word(struct word *w)
{
	uint64_t n;

	if (value_number(w, 0, UINT32_MAX, &n))
		return CSF_ERR_ARG;
	w->setup->sync = n;
	return 0;
}

static int lose_word(struct word *w)
{
	uint64_t n;

	if (value_number(w, 1, 1000000, &n))
		return CSF_ERR_ARG;
	w->setup->lose = n;
	return 0;
}

static int flag_word(struct word *w)
{
	struct enc_setup *s = w->setup;
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "marker", &s->marker }, { "commtrans", &s->tm_quiet },
		{ "likely", &s->likely_only }, { "targetfirst", &s->target_first },
		{ "barriers", &s->barriers }, { "m", &w->m },
		{ "gray", &w->gray }, { "vmidopt", &w->vmidopt },
		{ "cprt", &w->cprt }, { "alt", &w->alt }, { "halves", &w->halves },
	};
	size_t i = 0;

	while (strcmp(w->text, flags[i].name))
		i++;
	*flags[i].flag = true;
	return w->value ? setup_wrong(w, "has no value") : 0;
}

/* ---------------------------------------------------------------- table of words */

#define OF(protocol)	(1u << CSF_PROTOCOL_##protocol)
#define OF_4		(OF(ETM4) | OF(ETE))
#define OF_ALL		(OF_4 | OF(PTM) | OF(ETM3))

/**
 * struct word_row - a word
 * @take: reads its value
 * @of: the protocols that have it
 */
static const struct word_row {
	const char *name;
	int (*take)(struct word *w);
	unsigned int of;
} words_known[] = {
	{ "ete",	ete_word,	OF(ETE) },
	{ "etm4",	etm4_word,	OF(ETM4) },
	{ "ptm",	ptm_word,	OF(PTM) },
	{ "mtb",	mtb_word,	OF(MTB) },
	{ "etm3",	etm3_word,	OF(ETM3) },
	{ "rs",		stack_word,	OF_4 | OF(PTM) },
	{ "bb",		broadcast_word,	OF_ALL },
	{ "cc",		cycles_word,	OF_ALL },
	{ "commopt",	switch_word,	OF_4 },
	{ "ts",		time_word,	OF_ALL },
	{ "tsbits",	time_bits_word,	OF(PTM) | OF(ETM3) },
	{ "gray",	flag_word,	OF(PTM) | OF(ETM3) },
	{ "marker",	flag_word,	OF_4 },
	{ "cid",	cid_word,	OF_ALL },
	{ "vmid",	vmid_word,	OF_ALL },
	{ "vmidopt",	flag_word,	OF_4 },
	{ "q",		q_word,		OF_4 },
	{ "source",	rate_word,	OF_4 },
	{ "spec",	spec_word,	OF_4 },
	{ "likely",	flag_word,	OF_4 },
	{ "tm",		rate_word,	OF_4 },
	{ "commtrans",	flag_word,	OF_4 },
	{ "event",	rate_word,	OF_ALL },
	{ "ite",	rate_word,	OF_4 },
	{ "ignore",	rate_word,	OF_ALL },
	{ "overflow",	rate_word,	OF_ALL },
	{ "discard",	rate_word,	OF_4 },
	{ "truncate",	rate_word,	OF_ALL },
	{ "lose",	lose_word,	OF_ALL },
	{ "sync",	sync_word,	OF_ALL },
	{ "range",	include_word,	OF_ALL | OF(MTB) },
	{ "exclude",	exclude_word,	OF_ALL | OF(MTB) },
	{ "strobe",	strobe_word,	OF_ALL | OF(MTB) },
	{ "wfx",	switch_word,	OF_4 },
	{ "barriers",	flag_word,	OF(PTM) },
	{ "targetfirst", flag_word,	OF_ALL },
	{ "alt",	flag_word,	OF(ETM3) },
	{ "halves",	flag_word,	OF(ETM3) },
	{ "data",	data_word,	OF(ETM3) },
	{ "cprt",	flag_word,	OF(ETM3) },
	{ "late",	rate_word,	OF(ETM3) },
	{ "untraced",	rate_word,	OF(ETM3) },
	{ "suppress",	rate_word,	OF(ETM3) },
	{ "m",		flag_word,	OF(ETM4) | OF(ETE) | OF(ETM3) | OF(MTB) },
	{ "seed",	seed_word,	OF_ALL | OF(MTB) },
};

static int one_word(struct word *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(words_known); i++) {
		if (strcmp(w->text, words_known[i].name))
			continue;
		w->seen |= 1ull << i;
		return words_known[i].take(w);
	}
	return setup_wrong(w, "no such word");
}

/* ---------------------------------------------------------------- all words together */

int setup_conflict(const struct word *w, const char *what)
{
	snprintf(w->problem, ENC_PROBLEM_MAX, "%s", what);
	return CSF_ERR_ARG;
}

/* Does the protocol have all the words? */
static int check_words(const struct word *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(words_known); i++) {
		if (!(w->seen >> i & 1) || words_known[i].of >> w->protocol & 1)
			continue;
		snprintf(w->problem, ENC_PROBLEM_MAX, "%s: %s does not have it",
			 words_known[i].name, csf_protocol_name(w->protocol));
		return CSF_ERR_ARG;
	}
	return 0;
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
	struct word w = {
		.setup = setup, .problem = problem, .protocol = CSF_PROTOCOL_ETE, .minor = 1,
		.cid_bits = 32, .vmid_bits = 32,
	};

	*setup = (struct enc_setup){
		.config = { .size = sizeof(struct csf_config), .trcidr0 = IDR0_COMMOPT },
		.sync = 4096, .lose = 32, .seed = 1,
	};
	*problem = 0;
	while (words && *words) {
		if (!next_word(&w, &words))
			return setup_wrong(&w, "too long");
		if (one_word(&w))
			return CSF_ERR_ARG;
	}
	if (check_words(&w))
		return CSF_ERR_ARG;
	setup->cid_bits = setup->config.trcconfigr & CONFIG_CID ? w.cid_bits : 0;
	switch ((enum csf_protocol)w.protocol) {
	case CSF_PROTOCOL_PTM:
		return ptm_setup(&w);
	case CSF_PROTOCOL_MTB:
		return mtb_setup(&w);
	case CSF_PROTOCOL_ETM3:
		return etm3_setup(&w);
	default:
		return etm4_setup(&w);
	}
}

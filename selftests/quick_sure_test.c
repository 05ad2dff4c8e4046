// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is sure of packets that may be cancelled, for csflow quick: rows of packets, and what comes
 * out when.  And the rules are those of the decoder's queue: of executions made by dice a decoder
 * that is given what is sure, as trace of a unit that does not speculate, makes the same steps.
 */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#undef ARRAY_SIZE
#include "../tools/quick/quick-sure.h"
#include "case-run.h"
#include "random-case.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---------------------------------------------------------------- rows */

/*
 * Packets, and in front of each "|" what has come out by then.  MAXSPEC is 8; a loss is its reason
 * and how many P0 elements.
 */
static const struct {
	const char *rule, *in, *out;
} rows[] = {
	{ "nothing is sure that is not committed",
	  "atom EN | commit 1 | commit 1 |",
	  "| atom E | atom N |" },
	{ "more than the unit may take back is",
	  "atom EEEEE; atom NNNN |",
	  "atom E |" },
	{ "addresses behind a P0 element are sure when it is, and before the next",
	  "addr 0x1000; atom E; addr 0x2000 | commit 1 |",
	  "addr 0x1000 | atom E; addr 0x2000 |" },
	{ "a Cancel takes back atoms and what is behind them",
	  "atom EN; addr 0x2000; atom N; cancel1 2 | commit 1 |",
	  "| atom E |" },
	{ "but no timestamp, no Trace Info and no end of a transaction",
	  "atom E; time 0x100/64; on; info; tm.commit; cancel1 1; atom E; commit 1 |",
	  "time 0x100/64; info; tm.commit; atom E |" },
	{ "a Cancel with a Mispredict turns the atom before",
	  "atom EE; cancel1 1 misp; commit 1 |",
	  "atom N |" },
	{ "a Mispredict takes back addresses and contexts behind the atom",
	  "atom E; addr 0x2000; time 0x100/64; mispredict; commit 1 |",
	  "atom N; time 0x100/64 |" },
	{ "not the address of an exception, which is a P0 element of its own",
	  "atom E; exception irq; addr 0x2000; addr 0x3000; mispredict; commit 2 |",
	  "atom N; exception irq addr; addr 0x2000 |" },
	{ "an exception is cancelled with its address",
	  "atom E; exception irq; addr 0x2000; cancel1 1; commit 1 |",
	  "atom E |" },
	{ "a Transaction Failure is none, though it comes as an exception",
	  "atom E; exception trans.fail unknown; commit 1 |",
	  "atom E; exception trans.fail addr unknown |" },
	{ "addresses that were cancelled stay those that others are counted from",
	  "atom E; addr 0x12340000; cancel1 1; addr.s 0x8/9 |",
	  "addr 0x12340008 |" },
	{ "P0 elements from before sync are committed first",
	  "info spec=2; atom E | commit 2 | commit 1 |",
	  "| info | atom E |" },
	{ "and what is behind them waits",
	  "info spec=1; addr 0x1000; atom E | commit 1 |",
	  "| info; addr 0x1000 |" },
	{ "and cancelled last",
	  "info spec=2; atom E; cancel1 2; commit 1 |",
	  "info |" },
	{ "what is committed must be there",
	  "atom E; commit 2 |",
	  "lost speculation 1 |" },
	{ "and so must what is cancelled",
	  "atom E; cancel1 2 |",
	  "lost speculation 1 |" },
	{ "a Cancel of nothing does nothing",
	  "atom E; cancel none; commit 1 |",
	  "atom E |" },
	{ "nothing to mispredict",
	  "mispredict |",
	  "lost speculation 0 |" },
	{ "a loss of sync loses what waits, but no timestamp",
	  "atom EN; time 0x100/64; atom E; overflow |",
	  "time 0x100/64; lost overflow 3; overflow |" },
	{ "a mere A-sync loses nothing",
	  "atom E; async; commit 1 |",
	  "async; atom E |" },
	{ "but an exception that waits for its address",
	  "exception irq; async |",
	  "lost cut 1; async |" },
	{ "an exception waits for an address",
	  "exception irq; atom E |",
	  "lost packet 1 |" },
	{ "what is not committed where trace ends is lost",
	  "atom E; addr 0x1000; atom N; commit 1 | end |",
	  "atom E; addr 0x1000 | lost speculation 1 |" },
	{ "not what P0 elements from before sync leave",
	  "info spec=1; addr 0x1000 | end |",
	  "| |" },
	{ "timestamps are whole",
	  "time 0x12345678/64; time 0x7/7 |",
	  "time 0x12345678/64; time 0x12345607/64 |" },
};

FIXTURE(sure)
{
	struct csf_config config;
	struct text text;
};

FIXTURE_SETUP(sure)
{
	char words[] = "ete1.1 maxspec 8";

	case_config(&self->config);
	ASSERT_EQ(NULL, case_configure(&self->config, words));
}

FIXTURE_TEARDOWN(sure)
{
	text_fini(&self->text);
}

static void separate(struct text *t)
{
	if (t->n)
		text_add(t, t->s[t->n - 1] == '|' ? " " : "; ");
}

static int say_packet(void *to, const struct csf_packet *p, uint64_t at)
{
	struct _test_data_sure *self = to;
	struct csf_packet packet = *p;
	char buf[160];

	/* how many were committed before is nobody's business any more */
	packet.commit = 0;
	packet.info &= packet.type == CSF_PKT_INFO ? ~4 : 0xff;
	csf_packet_print(&self->config, &packet, buf, sizeof(buf));
	separate(&self->text);
	text_add(&self->text, "%s", buf);
	return 0;
}

static int say_loss(void *to, enum csf_gap why, uint64_t n)
{
	struct _test_data_sure *self = to;

	separate(&self->text);
	text_add(&self->text, "lost %s %u", csf_gap_name(why), (unsigned int)n);
	return 0;
}

/* Return: 0, or -1: @word is no packet. */
static int play_word(struct _test_data_sure *self, struct quick_sure *s, const char *word,
		     bool first)
{
	static const uint8_t none[] = { 0x2e, 0 };
	struct csf_packet p;
	const char *where;

	if (!strcmp(word, "end"))
		return sure_end(s);
	if (!strcmp(word, "cancel none"))
		csf_packet_read(&self->config, none, sizeof(none), &p);
	else if (csf_packet_parse(&self->config, word, &p, &where))
		return -1;
	if (!first || p.type != CSF_PKT_INFO)
		return sure_packet(s, &p, 0);
	sure_join(s, &p);
	/* and once more, to see what comes out in front of what */
	return sure_packet(s, &p, 0);
}

static int play_row(struct _test_data_sure *self, const char *in)
{
	struct quick_sure s = {
		.pass = say_packet, .lose = say_loss, .to = self, .max = 8, .commits = true,
		.starts = true, .fails = true,
	};
	char text[256], *at = text, *word;
	bool first = true;
	int err = 0;

	snprintf(text, sizeof(text), "%s", in);
	text_clear(&self->text);
	while (!err && *at) {
		const size_t n = strcspn(at, ";|");
		const char end = at[n];

		at[n] = 0;
		word = at + strspn(at, " ");
		while (*word && word[strlen(word) - 1] == ' ')
			word[strlen(word) - 1] = 0;
		if (*word)
			err = play_word(self, &s, word, first);
		first = false;
		if (end == '|')
			text_add(&self->text, "%s|", self->text.n ? " " : "");
		at += n + !!end;
	}
	sure_fini(&s);
	return err;
}

TEST_F(sure, rows)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(0, play_row(self, rows[i].in))
			TH_LOG("%s: %s", rows[i].rule, rows[i].in);
		EXPECT_STREQ(rows[i].out, self->text.s)
			TH_LOG("%s: %s", rows[i].rule, rows[i].in);
	}
}

/* ---------------------------------------------------------------- dice */

/* So many cases of each kind, or CSFLOW_SEEDS: half of them speculate. */
#define SEEDS		2000

/**
 * struct rewrite - trace of what is sure
 * @to: a case with a unit that does not speculate; @reserved: a header that it has not
 * @synced: there was a Trace Info behind an A-sync, @waits: only the A-sync
 */
struct rewrite {
	struct trace_case *to;
	uint8_t reserved;
	bool synced, waits;
};

static void put(struct rewrite *r, const struct csf_packet *p)
{
	uint8_t bytes[CSF_PACKET_MAX];
	const int n = csf_packet_write(&r->to->config, bytes, p);

	if (n <= 0)
		abort();
	random_put(r->to, bytes, n);
}

/* They may be more than one packet can have. */
static void put_atoms(struct rewrite *r, const struct csf_packet *p)
{
	struct csf_packet atom = { .type = CSF_PKT_ATOM, .n = 1 };

	for (unsigned int i = 0; i < p->n; i++) {
		atom.val = p->val >> i & 1;
		put(r, &atom);
	}
}

/* The address is whole, and no Q has one that is. */
static void put_q(struct rewrite *r, const struct csf_packet *p)
{
	struct csf_packet q = *p, address = { .type = CSF_PKT_ADDR64, .n = 64, .val = p->val };

	q.flags &= ~(CSF_PKT_ADDR | CSF_PKT_IS1);
	q.val = 0;
	q.n = 0;
	put(r, &q);
	if (!(p->flags & CSF_PKT_ADDR))
		return;
	address.flags = p->flags & CSF_PKT_IS1;
	put(r, &address);
}

static void put_info(struct rewrite *r, const struct csf_packet *p)
{
	struct csf_packet info = *p;

	info.commit = 0;
	info.info &= ~4;
	put(r, &info);
}

static int pass(void *to, const struct csf_packet *p, uint64_t at)
{
	struct rewrite *r = to;

	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ATOM:
		put_atoms(r, p);
		break;
	case CSF_PKT_Q:
		put_q(r, p);
		break;
	case CSF_PKT_INFO:
		put_info(r, p);
		break;
	case CSF_PKT_BAD:
		random_put(r->to, &r->reserved, 1);
		r->synced = false;
		break;
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
		r->synced = false;
		put(r, p);
		break;
	default:
		put(r, p);
	}
	return 0;
}

static int lose(void *to, enum csf_gap why, uint64_t n)
{
	struct rewrite *r = to;

	random_put(r->to, &r->reserved, 1);
	r->synced = false;
	r->waits = false;
	return 0;
}

/* Until a Trace Info behind an A-sync. */
static void unsynced(struct rewrite *r, struct quick_sure *s, const struct csf_packet *p)
{
	if (p->type == CSF_PKT_ASYNC) {
		r->waits = true;
		put(r, p);
	}
	if (p->type != CSF_PKT_INFO || !r->waits)
		return;
	r->synced = true;
	put_info(r, p);
	sure_join(s, p);
}

static uint8_t find_reserved(const struct csf_config *config)
{
	struct csf_packet p;

	for (int byte = 255; byte; byte--) {
		const uint8_t bytes[CSF_PACKET_MAX] = { byte };

		if (csf_packet_read(config, bytes, sizeof(bytes), &p) == 1 && p.type == CSF_PKT_BAD)
			return byte;
	}
	abort();
}

/* What is sure of the only piece of @c, as a case of its own. */
static void rewrite(const struct trace_case *c, struct trace_case *to)
{
	struct rewrite r = { .to = to };
	struct quick_sure s = {
		.pass = pass, .lose = lose, .to = &r, .max = c->config.trcidr8,
		.commits = !(c->config.trcidr0 >> 29 & 1), .starts = !(c->config.trcidr0 >> 30 & 1),
		.fails = csf_config_protocol(&c->config) == CSF_PROTOCOL_ETE,
	};
	struct csf_monitor *mon;
	struct csf_packet p;

	*to = *c;
	to->config.trcidr8 = 0;
	memset(to->piece, 0, sizeof(to->piece));
	r.reserved = find_reserved(&to->config);
	if (csf_monitor_new(&mon, &c->config) ||
	    csf_monitor_feed(mon, c->piece[0].trace, c->piece[0].n) || csf_monitor_end(mon))
		abort();
	while (csf_monitor_next(mon, &p, NULL, NULL) > 0) {
		if (!r.synced)
			unsynced(&r, &s, &p);
		else if (sure_packet(&s, &p, 0))
			abort();
	}
	if (r.synced && sure_end(&s))
		abort();
	csf_monitor_free(mon);
	sure_fini(&s);
}

/*
 * Leaves only what was executed: packets of other things are not passed, and losses are told
 * otherwise.  Of a timestamp its value: what it belongs to other packets say, too.
 */
static void keep_path(struct text *t)
{
	static const char *const other[] = {
		"gap", "event", "source", "walk", "end", "stats", "info", "ite", "sync",
	};
	char *in = t->s, *out = t->s;

	while (in && *in) {
		const size_t n = strcspn(in, "\n") + 1;
		const bool is_time = !strncmp(in, "time ", 5);
		size_t some = is_time ? 5 + strcspn(in + 5, " \n") : n - 1;

		for (size_t i = 0; i < ARRAY_SIZE(other); i++)
			if (!strncmp(in, other[i], strlen(other[i])))
				some = 0;
		memmove(out, in, some);
		out += some;
		if (some)
			*out++ = '\n';
		in += n;
	}
	if (out)
		*out = 0;
}

/* Return: does the decoder make the same of both? */
static bool agree(const struct trace_case *c, unsigned int seed)
{
	struct text want = { 0 }, got = { 0 }, why = { 0 };
	struct trace_case sure;
	bool same;

	rewrite(c, &sure);
	if (case_decode(c, &(struct feeding){ 0 }, &want) ||
	    case_decode(&sure, &(struct feeding){ 0 }, &got))
		abort();
	keep_path(&want);
	keep_path(&got);
	same = !strcmp(want.s ?: "", got.s ?: "");
	if (!same) {
		case_differ(&want, &got, &why);
		printf("# seed %u: %s", seed, why.s);
	}
	if (!same && getenv("CSFLOW_SEED")) {
		random_print(c, &why);
		printf("%s\nwant:\n%s\ngot:\n%s\n", why.s, want.s ?: "", got.s ?: "");
	}
	free(sure.piece[0].trace);
	text_fini(&want);
	text_fini(&got);
	text_fini(&why);
	return same;
}

/*
 * With damage not with a return stack.  What is on it depends on how an atom was traced first: a
 * call that was N, and became E by a Mispredict, is not on the unit's stack, and of a unit that
 * does not speculate there is no such atom.  Units trace calls that are always taken as E, so that
 * only damage makes one: what is rewritten has a call more, and a later return leads elsewhere.
 */
static bool try(unsigned int seed, bool damaged)
{
	struct text truth = { 0 };
	struct dice d = { seed };
	struct trace_case c;
	bool same = true;

	roll(&d, 1);
	random_execution(&c, &d, 10 + roll(&d, 400), &truth);
	c.config.marks = CSF_MARK_TIME;
	if (damaged)
		random_damage(&c, &d);
	if (c.config.trcidr8 && !(damaged && c.config.trcconfigr >> 12 & 1))
		same = agree(&c, seed);
	text_fini(&truth);
	case_fini(&c);
	return same;
}

static unsigned int failures(bool damaged)
{
	const char *one = getenv("CSFLOW_SEED"), *seeds = getenv("CSFLOW_SEEDS");
	const unsigned int n = seeds ? atoi(seeds) : SEEDS;
	unsigned int bad = 0;

	if (one)
		return !try(atoi(one), damaged);
	for (unsigned int seed = 1; seed <= n; seed++)
		bad += !try(seed, damaged);
	return bad;
}

TEST_F(sure, as_the_decoder_has_it)
{
	EXPECT_EQ(0, failures(false));
}

TEST_F(sure, as_the_decoder_has_it_with_damage)
{
	EXPECT_EQ(0, failures(true));
}

TEST_HARNESS_MAIN

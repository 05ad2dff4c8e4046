// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets once they are committed: rows of packets, and which come out when.  And for random
 * executions: a decoder that is given the committed packets, as trace of a unit that does not
 * speculate, makes the same steps.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/csflow.h"
#include "../lib/case-run.h"
#include "../lib/random-case.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---------------------------------------------------------------- rows */

/*
 * Packets after an A-sync, and before each "|" the packets that have come out by then.  Without a
 * Trace Info at first there is one, which is not shown.  MAXSPEC is 8; a loss is its reason and the
 * number of P0 elements.
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
	{ "a Q has its address behind it, and with it a context that came before or with that",
	  "q 5; ctx el1 realm 64; addr 0x2000 | commit 1 |",
	  "| q 5; addr.ctx 0x2000 el1 realm 64 |" },
	{ "and so has an exception",
	  "exception irq; addr.ctx 0x2000 el1 s 64; commit 1 |",
	  "exception irq addr; addr.ctx 0x2000 el1 s 64 |" },
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
	  "cancel none; atom E |" },
	{ "nothing to mispredict",
	  "mispredict |",
	  "lost speculation 0 |" },
	{ "a loss of sync loses what waits, but no timestamp",
	  "atom EN; time 0x100/64; atom E; overflow |",
	  "time 0x100/64; lost overflow 3 |" },
	{ "a mere A-sync loses nothing",
	  "atom E; async; commit 1 |",
	  "atom E |" },
	{ "but an exception that waits for its address",
	  "exception irq; async |",
	  "lost cut 1 |" },
	{ "an exception waits for an address",
	  "exception irq; atom E |",
	  "lost packet 1 |" },
	{ "what is not committed where trace ends is lost",
	  "atom E; addr 0x1000; atom N; commit 1 | end |",
	  "atom E; addr 0x1000 | lost speculation 1 |" },
	{ "not what P0 elements from before sync leave",
	  "info spec=1; addr 0x1000 | end |",
	  "| info; addr 0x1000 |" },
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
	self->config.trcidr0 |= 3 << 15;	/* QSUPP */
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

static bool is_cancel_of_nothing(const struct csf_packet *p)
{
	return p->type == CSF_PKT_BAD && p->n == CSF_BAD_SEQUENCE && p->info == CSF_PKT_CANCEL1;
}

static void say(struct _test_data_sure *self, const struct csf_packet *p)
{
	char buf[160];

	separate(&self->text);
	if (p->type == CSF_PKT_BAD && p->n == CSF_BAD_LOST) {
		text_add(&self->text, "lost %s %u", csf_gap_name(p->info), p->count);
	} else if (is_cancel_of_nothing(p)) {
		text_add(&self->text, "cancel none");
	} else {
		csf_packet_print(&self->config, p, buf, sizeof(buf));
		text_add(&self->text, "%s", buf);
	}
}

/* The packets that have come out, but for the first @skip of them. */
static void say_all(struct _test_data_sure *self, struct csf_monitor *mon, size_t skip)
{
	struct csf_packet p[16];
	uint64_t offset[16];
	long n;

	while ((n = csf_monitor_read_committed(mon, p, offset, 16, NULL)) > 0)
		for (long i = 0; i < n; i++)
			if (!skip || !skip--)
				say(self, &p[i]);
}

/* Packets without meaning, more than a monitor holds back. */
#define FILLER		80
#define PART_MAX	(64 * CSF_PACKET_MAX + FILLER)

/* The bytes that are fed next. */
struct part {
	uint8_t bytes[PART_MAX];
	size_t n;
	bool ends;
};

/* Return: 0, or -1: @word is no packet. */
static int add_word(const struct _test_data_sure *self, struct part *part, const char *word)
{
	static const uint8_t none[] = { 0x2e, 0 };
	struct csf_packet p;
	const char *where;
	int n;

	if (!strcmp(word, "end")) {
		part->ends = true;
		return 0;
	}
	if (!strcmp(word, "cancel none")) {
		memcpy(part->bytes + part->n, none, sizeof(none));
		part->n += sizeof(none);
		return 0;
	}
	if (part->n + CSF_PACKET_MAX + FILLER > PART_MAX ||
	    csf_packet_parse(&self->config, word, &p, &where))
		return -1;
	n = csf_packet_write(&self->config, part->bytes + part->n, &p);
	part->n += n > 0 ? n : 0;
	return n > 0 ? 0 : -1;
}

static int play_part(struct _test_data_sure *self, struct csf_monitor *mon, struct part *part,
		     size_t skip)
{
	int err = 0;

	for (int i = 0; i < FILLER && !part->ends; i++)
		err = err ?: add_word(self, part, "ignore");
	if (err || csf_monitor_feed(mon, part->bytes, part->n) ||
	    (part->ends && csf_monitor_end(mon)))
		return -1;
	say_all(self, mon, skip);
	part->n = 0;
	return 0;
}

static int play(struct _test_data_sure *self, struct csf_monitor *mon, const char *in)
{
	const bool has_info = !strncmp(in, "info", 4);
	char text[256], *at = text, *word;
	struct part part = { .n = 0 };
	size_t skip = !has_info;
	int err;

	snprintf(text, sizeof(text), "%s", in);
	err = add_word(self, &part, "async");
	if (!has_info)
		err = err ?: add_word(self, &part, "info");
	while (!err && *at) {
		const size_t n = strcspn(at, ";|");
		const char end = at[n];

		at[n] = 0;
		word = at + strspn(at, " ");
		while (*word && word[strlen(word) - 1] == ' ')
			word[strlen(word) - 1] = 0;
		if (*word)
			err = add_word(self, &part, word);
		if (!err && end == '|') {
			err = play_part(self, mon, &part, skip);
			skip = 0;
			text_add(&self->text, "%s|", self->text.n ? " " : "");
		}
		at += n + !!end;
	}
	return err;
}

static int play_row(struct _test_data_sure *self, const char *in)
{
	struct csf_monitor *mon;
	int err;

	text_clear(&self->text);
	if (csf_monitor_new(&mon, &self->config))
		return -1;
	err = csf_monitor_commit(mon) ?: play(self, mon, in);
	csf_monitor_free(mon);
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

/* This many cases of each kind, or CSFLOW_SEEDS: half of them speculate. */
#define SEEDS		2000

/**
 * struct rewrite - committed elements, written as trace again
 * @to: a case with a unit that does not speculate; @reserved: a header that it has not
 * @synced: there was a Trace Info
 */
struct rewrite {
	struct trace_case *to;
	uint8_t reserved;
	bool synced;
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

static void put_info(struct rewrite *r, const struct csf_packet *p)
{
	if (!r->synced)
		put(r, &(struct csf_packet){ .type = CSF_PKT_ASYNC });
	put(r, p);
	r->synced = true;
}

/* Sync is lost by bytes that are no packet. */
static void put_bad(struct rewrite *r, const struct csf_packet *p)
{
	if (p->n != CSF_BAD_LOST)
		return;
	random_put(r->to, &r->reserved, 1);
	r->synced = false;
}

/* The kinds of packets that say what was executed. */
static void rewrite_packet(struct rewrite *r, const struct csf_packet *p)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ATOM:
		put_atoms(r, p);
		break;
	case CSF_PKT_INFO:
		put_info(r, p);
		break;
	case CSF_PKT_BAD:
		put_bad(r, p);
		break;
	case CSF_PKT_CC1:
	case CSF_PKT_EVENT:
	case CSF_PKT_MARKER:
	case CSF_PKT_ITE:
	case CSF_PKT_ERET:
		break;
	default:
		put(r, p);
	}
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

/* The committed packets of the only piece of @c, as a case of its own. */
static void rewrite(const struct trace_case *c, struct trace_case *to)
{
	struct rewrite r = { .to = to };
	struct csf_monitor *mon;
	struct csf_packet p[32];
	uint64_t offset[32], used = 0, last = 0;
	long n;

	*to = *c;
	to->config.trcidr8 = 0;
	memset(to->piece, 0, sizeof(to->piece));
	r.reserved = find_reserved(&to->config);
	if (csf_monitor_new(&mon, &c->config) || csf_monitor_commit(mon) ||
	    csf_monitor_feed(mon, c->piece[0].trace, c->piece[0].n) || csf_monitor_end(mon))
		abort();
	while ((n = csf_monitor_read_committed(mon, p, offset, 32, &used)) > 0) {
		for (long i = 0; i < n; i++) {
			/* in the order of the trace, except for elements that a loss lets go */
			if (offset[i] > used || (p[i].type == CSF_PKT_ATOM && offset[i] < last))
				abort();
			if (p[i].type == CSF_PKT_ATOM)
				last = offset[i];
			rewrite_packet(&r, &p[i]);
		}
	}
	if (used != c->piece[0].n)
		abort();
	csf_monitor_free(mon);
}

/*
 * Leaves only executed code: packets of other things are not passed, and losses are reported
 * differently.  Of a timestamp its value stays: other packets, too, say what it belongs to.
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
 * Damage is not tested with a return stack.  Its contents depend on how an atom was traced first: a
 * call that was N, and became E by a Mispredict, is not on the unit's stack, and a unit that does
 * not speculate has no such atom.  Units trace calls that are always taken as E, so that only
 * damage makes such an atom: the rewritten trace has a call more, and a later return leads
 * elsewhere.
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

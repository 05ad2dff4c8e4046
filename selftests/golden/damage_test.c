// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged trace: copies of real buffers, damaged in six ways, decoded by csflow
 * and by the peer.
 *
 * Nothing may crash, hang or leak; none may take more than four times the clean
 * run's CPU time plus 50 ms; damage to one trace ID changes no other.  Of the
 * ranges of the clean run at least as many are kept as the peer keeps: for each
 * trace and kind of damage, and for each kind over all traces.
 *
 * For one trace and kind the two decode the same variants, and each gives a
 * difference, ours less the peer's.  Most are 0. The others are few, and some are large: garbage is
 * read as one packet or another, and now and then the peer's reading, or ours, happens to suit the
 * bytes that follow; in a trace with a single A-sync that decides about all bytes after it.  So
 * their sum must not be below 0, or not by more than chance makes it: LUCK standard errors of their
 * mean.  In a trace with missing code and a return stack, the peer returns to calls from before the
 * missing code (Documentation/user/differences.rst), and some of the ranges that it makes up equal
 * ranges that damage took elsewhere.  One range in GUESSED is therefore not counted, nor is such a
 * trace in the sums.  Over all traces there is no such slack where both have decoded MANY variants.
 * The peer gains a range in a thousand variants by guessing (it goes on where it was when a source
 * address leads into no code); that is no reason to guess.
 *
 * 150 variants, or 300,000 with $CSFLOW_LONG, or $CSFLOW_DAMAGE of them; the peer
 * sees no more than PEER_MAX, or $CSFLOW_PEER.  If it crashes, there is no difference to count.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../lib/peer.h"

#define N_KIND	6

#define LUCK		3
#define MANY		400
#define PEER_MAX	3000
#define TRIES		5
#define GUESSED		400

static const char *const kind_name[N_KIND] = {
	"bit flips", "random bytes", "truncated", "bytes dropped", "burst", "splice",
};

static const char *const traces[] = {
	"snapshots/juno_r1_1", "snapshots/juno-ret-stck", "snapshots-ete/001-ack_test",
	"snapshots-ete/tme_test", "snapshots-ete/trace_file_cid_vmid", "snapshots-ete/src_addr",
	"snapshots-ete/ete_mem", "snapshots-ete/q_elem", "snapshots-ete/ete_spec_1",
	"snapshots-ete/ts_marker", "snapshots/tc2-ptm-rstk-t32", "snapshots/TC2",
	"classic/sigrok-dumps/stm32f105", "classic/am243x-r5f/zephyr",
	"classic/am243x-r5f/threadx",
};

#define N_TRACE	ARRAY_SIZE(traces)

static const char guessed_in[] = "snapshots/juno-ret-stck";

/*
 * The dump of the kernel in this one is not the code that ran.  The peer does not notice.  Of two
 * decoders that follow the same wrong code, one that reports a gap where it is wrong keeps fewer
 * ranges, however well it gets over damage.  So here csflow does not check either.
 */
static const char wrong_code_in[] = "snapshots/juno_r1_1";

static unsigned int peer_max = PEER_MAX;

static uint64_t random_state;

static uint64_t rnd(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Damages the @n bytes at @p in place.  Returns how many are left. */
static size_t damage(uint8_t *p, size_t n, unsigned int kind, size_t unit)
{
	size_t at = rnd(n), len, from;

	switch (kind) {
	case 0:
		for (unsigned int k = 1 + rnd(8); k; k--)
			p[rnd(n)] ^= 1u << rnd(8);
		return n;
	case 1:
		for (unsigned int k = 1 + rnd(200); k; k--)
			p[rnd(n)] = rnd(256);
		return n;
	case 2:
		at = at / unit * unit;
		return at ? at : unit;
	case 3:
		len = 1 + rnd(256);
		len = len < n - at ? len : n - at;
		memmove(p + at, p + at + len, n - at - len);
		n = (n - len) / unit * unit;
		return n ? n : unit;
	case 4:
		len = 1 + rnd(512);
		for (; len && at < n; len--)
			p[at++] = rnd(256);
		return n;
	default:
		from = rnd(n);
		len = 1 + rnd(1024);
		len = len < n - at ? len : n - at;
		len = len < n - from ? len : n - from;
		memmove(p + at, p + from, len);
		return n;
	}
}

/* Variants that both have decoded: ranges kept, and the squares of the differences. */
struct cell {
	uint64_t ours, peers;
	double squares;
	unsigned int n;
};

static struct cell total[N_KIND];

struct tally {
	struct cell cell[N_KIND];
	unsigned int slow, failed;
	unsigned int crashed;		/* the peer */
	bool guesses;			/* the peer, after missing code */
	double most, worst;		/* CPU seconds of a variant */
	struct rig_set set;		/* ranges of the clean run */
};

/* A heap copy of the exact size, so that sanitizers see every byte read beyond its end. */
static uint8_t *copy(const uint8_t *p, size_t n)
{
	uint8_t *q = malloc(n ? n : 1);

	if (q && n)
		memcpy(q, p, n);
	return q;
}

static void add(struct cell *c, uint64_t ours, uint64_t peers)
{
	double d = (double)ours - (double)peers;

	c->ours += ours;
	c->peers += peers;
	c->squares += d * d;
	c->n++;
}

/* The mean difference and the square of its standard error. */
static double mean(const struct cell *c, double *error2)
{
	double m = c->n ? ((double)c->ours - (double)c->peers) / c->n : 0;

	*error2 = c->n > 1 ? (c->squares - c->n * m * m) / (c->n - 1) / c->n : 0;
	return m;
}

/* Not below the peer by more than chance, or by more than it guesses. */
static bool holds(const struct cell *c, bool guesses)
{
	double error2, m = mean(c, &error2);

	if (guesses && c->n)
		m += (double)c->peers / c->n / GUESSED;
	return m >= 0 || m * m <= LUCK * LUCK * error2;
}

/*
 * The peer may crash or hang on damaged trace: it has a process of its own.
 * Returns whether it came to an end.
 */
static bool peer_ranges(struct rig *rig, const uint8_t *p, size_t n, struct tally *t,
			uint64_t *kept)
{
	int fd[2];
	bool ok;
	pid_t pid;

	if (pipe(fd))
		return false;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct peer *peer = peer_new(rig, PEER_FULL);
		struct rig_sum sum = { .set = &t->set };

		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		alarm(20);
		if (peer)
			peer_run(peer, p, n, true, &sum);
		if (write(fd[1], &sum.kept, sizeof(sum.kept)) > 0)
			raise(SIGKILL);		/* its leaks are not reported */
		_exit(1);
	}
	close(fd[1]);
	ok = pid > 0 && read(fd[0], kept, sizeof(*kept)) == sizeof(*kept);
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	t->crashed += !ok;
	return ok;
}

/*
 * CPU seconds for the @n bytes at @p; *@kept: ranges.  On a machine that others use, too, some runs
 * are long; with a slow decoder all are.  So a run that takes too long is done again.
 */
static double timed(struct rig *rig, struct tally *t, const uint8_t *p, size_t n, uint64_t *kept)
{
	double took, least = 0;

	for (unsigned int i = 0; i < TRIES && (!i || least > t->most); i++) {
		struct rig_set set;
		struct rig_sum sum = { .set = &set };

		rig_reset(rig);
		rig_set_copy(&set, &t->set);
		took = cpu();
		t->failed += rig_sum(rig, p, n, &sum) != 0;
		took = cpu() - took;
		rig_set_free(&set);
		*kept = sum.kept;
		least = i && least < took ? least : took;
	}
	return least;
}

static void variant(struct rig *rig, struct tally *t, unsigned int nr)
{
	unsigned int kind = nr % N_KIND;
	size_t unit = rig->framed ? 16 : 1, n = rig->n;
	uint8_t *whole = copy(rig->data, n), *p;
	uint64_t ours = 0, peers = 0;
	double took;

	n = damage(whole, n, kind, unit);
	p = copy(whole, n);
	free(whole);

	took = timed(rig, t, p, n, &ours);
	t->slow += took > t->most;
	t->worst = took > t->worst ? took : t->worst;

	if (nr < peer_max / N_TRACE && peer_ranges(rig, p, n, t, &peers)) {
		add(&t->cell[kind], ours, peers);
		if (!t->guesses)
			add(&total[kind], ours, peers);
	}
	free(p);
}

/*
 * CPU seconds of a clean run, to @took: 0 where the clock only counts whole ticks.  The run is the
 * second, so that all code is known, as it is to the variants.  Returns whether it has ranges.
 */
static bool clean_run(struct rig *rig, struct tally *t, double *took)
{
	struct rig_sum count = { 0 }, sum = { .set = &t->set, .fill = true };
	double start;

	if (rig_sum(rig, rig->data, rig->n, &count) || !count.ranges ||
	    rig_set_new(&t->set, count.ranges))
		return false;
	rig_reset(rig);
	start = cpu();
	rig_sum(rig, rig->data, rig->n, &sum);
	*took = cpu() - start;
	return true;
}

/* Ranges that one stream gives, as checksums. */
static int stream_sums(struct rig *rig, const uint8_t *p, uint64_t *sum)
{
	unsigned int n = rig->n_stream;
	struct rig_stream all[RIG_STREAMS];
	struct rig_sum one;
	int ret = 0;

	memcpy(all, rig->stream, sizeof(all));
	for (unsigned int i = 0; i < n && !ret; i++) {
		rig->stream[0] = all[i];
		rig->n_stream = 1;
		rig_reset(rig);
		one = (struct rig_sum){ 0 };
		ret = rig_sum(rig, p, rig->n, &one);
		sum[i] = one.sum;
	}
	memcpy(rig->stream, all, sizeof(all));
	rig->n_stream = n;
	return ret;
}

/* Turns bits of data bytes of trace ID @id; bit 0 of a mixed byte would make an ID of it. */
static void damage_id(struct rig *rig, uint8_t *p, uint8_t id)
{
	struct csf_frames *frames;
	struct csf_frame f;

	if (csf_frames_new(&frames, rig->framing, 0))
		return;
	csf_frames_watch(frames, rig->data, rig->n, true);
	while (csf_frames_next(frames, &f) > 0)
		if (f.kind == CSF_FRAME_DATA && f.id == id && !rnd(20))
			p[f.offset] ^= 2u << rnd(6);
	csf_frames_free(frames);
}

/* New decoders, that follow the trace where it contradicts the code. */
static int uncheck(struct rig *rig)
{
	for (unsigned int i = 0; i < rig->n_stream; i++)
		rig->stream[i].config.unchecked = 1;
	return rig_marks(rig, 0);
}

static void test_other_ids(const char *root)
{
	uint64_t before[RIG_STREAMS], after[RIG_STREAMS];
	struct rig rig = { 0 };
	unsigned int changed = 0, same = 0;
	char path[512];

	snprintf(path, sizeof(path), "%s/snapshots/juno-ret-stck", root);
	if (rig_open(&rig, path, NULL) || stream_sums(&rig, rig.data, before)) {
		ksft_test_result_fail("damage_one_id\n");
		rig_close(&rig);
		return;
	}
	for (unsigned int i = 0; i < rig.n_stream; i++) {
		uint8_t *p = copy(rig.data, rig.n);

		damage_id(&rig, p, rig.stream[i].id);
		stream_sums(&rig, p, after);
		for (unsigned int k = 0; k < rig.n_stream; k++) {
			changed += k != i && after[k] != before[k];
			same += k == i && after[k] == before[k] && before[k];
		}
		free(p);
	}
	ksft_print_msg("damage to one trace ID: %u others changed, %u had no effect\n", changed,
		       same);
	ksft_test_result(!changed && !same, "damage_one_id\n");
	rig_close(&rig);
}

static void say(const char *name, const char *kind, const struct cell *c)
{
	double error2, m = mean(c, &error2);

	if (c->n)
		ksft_print_msg("%-34s %-13s %5u: %.2f ranges kept a variant, peer %.2f: %+.3f, error %.3f\n",
			       name, kind, c->n, (double)c->ours / c->n, (double)c->peers / c->n,
			       m, sqrt(error2));
}

static void test_trace(const char *root, const char *name, unsigned int variants)
{
	struct tally t = { .guesses = !strcmp(name, guessed_in) };
	struct rig rig = { 0 };
	double clean = 0;
	bool ok;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (rig_open(&rig, path, NULL) || (!strcmp(name, wrong_code_in) && uncheck(&rig))) {
		ksft_test_result_fail("%s\n", name);
		rig_close(&rig);
		return;
	}
	ok = clean_run(&rig, &t, &clean);
	t.most = 4 * clean + 0.05;
	for (unsigned int i = 0; ok && i < variants; i++) {
		random_state = (i + 1) * 0x9e3779b97f4a7c15ull;
		variant(&rig, &t, i);
	}
	for (unsigned int k = 0; k < N_KIND; k++) {
		say(name, kind_name[k], &t.cell[k]);
		ok = ok && holds(&t.cell[k], t.guesses);
	}
	ksft_print_msg("%s: %u variants, clean %.1f ms, worst %.1f ms, too slow %u, failed %u, peer crashed %u\n",
		       name, variants, clean * 1e3, t.worst * 1e3, t.slow, t.failed, t.crashed);
	ksft_test_result(ok && !t.slow && !t.failed, "%s\n", name);
	rig_set_free(&t.set);
	rig_close(&rig);
}

static void test_total(unsigned int kind)
{
	say("all traces", kind_name[kind], &total[kind]);
	ksft_test_result(total[kind].n && (total[kind].n < MANY ? holds(&total[kind], false) :
					   total[kind].ours >= total[kind].peers),
			 "%s\n", kind_name[kind]);
}

int main(void)
{
	const char *root = getenv("CSFLOW_CORPUS"), *n = getenv("CSFLOW_DAMAGE");
	const char *peer = getenv("CSFLOW_PEER");
	unsigned int variants = getenv("CSFLOW_LONG") ? 300000 : 150;

	if (n)
		variants = strtoul(n, NULL, 0);
	if (peer)
		peer_max = strtoul(peer, NULL, 0);
	ksft_print_header();
	if (!root) {
		ksft_set_plan(1);
		ksft_test_result_skip("damage: CSFLOW_CORPUS is not set\n");
		ksft_finished();
	}
	ksft_set_plan(N_TRACE + N_KIND + 1);
	for (unsigned int i = 0; i < N_TRACE; i++)
		test_trace(root, traces[i], variants / N_TRACE);
	for (unsigned int k = 0; k < N_KIND; k++)
		test_total(k);
	test_other_ids(root);
	ksft_finished();
}

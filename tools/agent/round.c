// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "round.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../count/count-file.h"
#include "../input/losses.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/memory.h"
#include "../lib/status.h"
#include "../profile/count-load.h"
#include "../quick/quick-file.h"
#include "../quick/quick-load.h"
#include "clock.h"
#include "live.h"
#include "strip.h"

/* Memory of an atom run, see cmd-quick.c. */
#define ATOM_RUN	(2 * (sizeof(struct atom_run) + 4 * sizeof(uint32_t)))

/* How often a look is taken at signals, and at the counting process. */
#define LOOK_MS		50
#define COUNTING_MS	5

/* ---------------------------------------------------------------- playing back */

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Sets @r->path to the recording of this round. */
static int choose_recording(struct round *r)
{
	const char *replay = r->config->replay;
	struct dirent **entry;
	struct stat st;
	int n;

	if (stat(replay, &st))
		return -errno;
	snprintf(r->path, sizeof(r->path), "%s", replay);
	/* a folder may be a recording itself */
	if (!S_ISDIR(st.st_mode) || (snprintf(r->path, sizeof(r->path), "%s/data", replay) > 0 &&
				     !access(r->path, F_OK))) {
		snprintf(r->path, sizeof(r->path), "%s", replay);
		return 0;
	}
	n = scandir(replay, &entry, is_visible, alphasort);
	if (n < 0)
		return -errno;
	if (n)
		snprintf(r->path, sizeof(r->path), "%s/%s", replay,
			 entry[r->recording++ % n]->d_name);
	for (int i = 0; i < n; i++)
		free(entry[i]);
	free(entry);
	return n ? 0 : -ENOENT;
}

/* Lasts as long as a machine would that makes trace at the rate. */
static int play_back(struct round *r)
{
	int err = choose_recording(r);
	uint64_t end;
	struct stat st;

	if (!err && stat(r->path, &st))
		err = -errno;
	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", r->config->replay, strerror(-err));
		return err;
	}
	end = clock_ms() + (r->config->rate ? st.st_size * 1000ull / r->config->rate : 0);
	while (!*r->stop && clock_ms() < end) {
		const uint64_t left = end - clock_ms();

		usleep(1000 * (left < LOOK_MS ? left : LOOK_MS));
	}
	return 0;
}

/* ---------------------------------------------------------------- recording */

static void say_lost(const struct round *r, uint64_t n, const char *what)
{
	if (n)
		log_say(LOG_LOST, "csflow: %s: %" PRIu64 " %s\n", r->name, n, what);
}

static void say_recorded(const struct round *r, const struct live *live)
{
	if (live->size >= live->most && live->ms < r->config->duration)
		log_say(LOG_LOST, "csflow: %s: ended early, by %" PRIu64 " ms: %" PRIu64
			" bytes of a recording are a quarter of the memory\n", r->name,
			r->config->duration - live->ms, live->most);
	say_lost(r, live->cut, "times the kernel had no room for trace: see buffer");
	say_lost(r, live->lost, "records of the kernel are lost");
}

static int record(struct round *r)
{
	struct live live = { .config = r->config, .stop = r->stop, .most = r->config->memory / 4 };
	const char *what = "no memory";
	int err;

	r->fd = memfd_create("csflow-agent", MFD_CLOEXEC);
	err = r->fd < 0 ? -errno : 0;
	live.fd = r->fd;
	snprintf(r->path, sizeof(r->path), "/proc/self/fd/%d", r->fd);
	if (!err)
		err = live_record(&live, &what);
	r->apart = live.apart;
	if (err)
		log_say(LOG_FILE, "csflow: %s: %s\n", what, strerror(-err));
	else
		say_recorded(r, &live);
	return err;
}

/* ---------------------------------------------------------------- counting */

static int fill_counts(void *table, FILE *f)
{
	return count_file_write(table, f);
}

static int fill_quick(void *quick, FILE *f)
{
	return quick_file_write(quick, f);
}

/* The whole recording, which may be larger than memory. */
static int fill_trace(void *round, FILE *f)
{
	const struct round *r = round;
	char bytes[1 << 16];
	ssize_t n;
	int fd = open(r->path, O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;

	while (!err && (n = read(fd, bytes, sizeof(bytes))))
		if (n < 0 || fwrite(bytes, 1, n, f) != (size_t)n)
			err = errno ? -errno : -EIO;
	if (fd >= 0)
		close(fd);
	return err;
}

static int write_kind(const struct round *r, const char *kind, int (*fill)(void *, FILE *),
		      void *owner)
{
	char name[COUNT_SPOOL_NAME];

	snprintf(name, sizeof(name), "%.40s%s", r->name, kind);
	return count_spool_write(r->spool, name, fill, owner);
}

/*
 * Was nothing of the recording read?  A status of failure alone does not say so: it also tells of
 * faults, after which the rest is counted.
 */
static bool is_unread(const struct round_counts *counts, int status)
{
	return status != CMD_OK && !counts->stat[COUNT_BYTES];
}

/* Messages about a recording name its files, so they are only for those who keep names. */
static int count_full(struct round *r, struct round_counts *counts)
{
	struct selection part = {
		.spans = { .until = UINT64_MAX }, .only_known = agent_config_excludes(r->config),
		.not_pid = r->apart.pid, .n_not_pid = r->apart.n,
	};
	struct count_load_options options = { .replay = { .marks = CSF_MARK_TIME } };
	struct count_table table = { 0 };
	int status, err;

	/* the processes of a recording that is played back have only their names */
	if (r->config->source == AGENT_REPLAY) {
		part.only_known = false;
		part.not_comms = r->config->not_comm;
	}
	options.part = &part;
	log_hush(!r->config->names);
	status = count_load(&table, r->path, 1, &options);
	log_hush(false);
	memcpy(counts->stat, table.stat, sizeof(counts->stat));
	err = is_unread(counts, status) ? -EBADMSG : 0;
	if (!err && !r->config->names)
		err = strip_table(&table, &counts->gone);
	return err ? err : write_kind(r, ".counts", fill_counts, &table);
}

static int count_quick(struct round *r, struct round_counts *counts)
{
	struct quick quick = { .max = r->config->memory / 4 / ATOM_RUN };
	struct quick_load load = { .quick = &quick };
	int status, err;

	log_hush(!r->config->names);
	status = quick_load(&load, r->path);
	log_hush(false);
	counts->full = quick.full;
	memcpy(counts->stat, quick.table.stat, sizeof(counts->stat));
	err = is_unread(counts, status) ? -EBADMSG : quick_settle(&quick);
	if (!err && !r->config->names)
		err = strip_quick(&quick, r->name, &counts->gone);
	return err ? err : write_kind(r, ".atoms", fill_quick, &quick);
}

/* @agent: its process */
static void count(struct round *r, pid_t agent)
{
	struct round_counts *counts = r->counts;
	struct count_spool spool;
	int err;

	/* it ends with the agent, which may have ended before this */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != agent)
		_exit(1);
	err = count_spool_share(&spool, r->spool);
	r->spool = &spool;
	memory_set_status(-1);
	memory_limit(r->config->memory / 4 * 3);
	*losses_progress() = false;
	if (!err)
		err = r->config->counts == AGENT_QUICK ? count_quick(r, counts) :
		      count_full(r, counts);
	counts->err = err;
	if (r->keep)
		counts->kept_err = write_kind(r, ".perf.data", fill_trace, r);
	counts->done = true;
	_exit(0);
}

/* Return: how the counting process ended, as waitpid() gives it. */
static int wait_for(struct round *r, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (*r->hurry)
			kill(pid, SIGKILL);
		usleep(1000 * COUNTING_MS);
	}
	return status;
}

/* ---------------------------------------------------------------- reports */

static void say_counts(const struct round *r)
{
	const struct round_counts *c = r->counts;
	const bool quick = r->config->counts == AGENT_QUICK;
	uint64_t lost = 0;

	for (int i = 0; i < CSF_GAP_NR; i++)
		if (i != CSF_GAP_IMAGE)
			lost = count_sum(lost, c->stat[COUNT_LOST + i]);
	log_say(LOG_NOTE, "csflow: %s: %" PRIu64 " bytes of trace, %" PRIu64 " instructions\n",
		r->name, c->stat[COUNT_BYTES], c->stat[COUNT_INSNS]);
	say_lost(r, c->stat[COUNT_HOLES], "holes in the trace: it is unknown how much was lost");
	say_lost(r, c->stat[COUNT_SKIPPED], "bytes of trace are lost");
	say_lost(r, c->stat[COUNT_LOST + CSF_GAP_IMAGE],
		 "branches are lost: the programs that ran were not found");
	say_lost(r, lost, "branches are lost in gaps of the trace");
	say_lost(r, c->stat[COUNT_NO_UNIT], "bytes of trace are of no known trace unit");
	say_lost(r, c->stat[COUNT_DAMAGED], "faults in the recording");
	say_lost(r, c->full, "atoms are lost: there is no memory for more atom runs");
	say_lost(r, c->gone, quick ?
		 "files have no build-id: nothing tells what their atom runs are of" :
		 "instructions are lost: they ran in code without a build-id");
}

static const char *words(int err)
{
	switch (err) {
	case -EBADMSG:
		return "the recording cannot be read";
	case -EFBIG:
		return "it would be larger than the spool, or a file, may be";
	default:
		return strerror(-err);
	}
}

static void say_not_written(const struct round *r, const char *kind, int err)
{
	if (err)
		log_say(LOG_LOST, "csflow: %s%s: not written: %s; %" PRIu64
			" bytes of trace are lost\n", r->name, kind, words(err),
			r->counts->stat[COUNT_BYTES]);
}

/* How the counting process ended.  Return: as round_run(). */
static int judge(const struct round *r, int status)
{
	const struct round_counts *c = r->counts;

	if (!c->done) {
		log_say(LOG_LOST, "csflow: %s: lost: the process that counts %s\n", r->name,
			*r->hurry ? "was told to end at once" :
			WIFSIGNALED(status) ? "was killed" : "needed more memory than it may have");
		return -ECANCELED;
	}
	say_counts(r);
	say_not_written(r, r->config->counts == AGENT_QUICK ? ".atoms" : ".counts", c->err);
	if (r->keep)
		say_not_written(r, ".perf.data", c->kept_err);
	return c->err;
}

int round_run(struct round *r)
{
	const pid_t agent = getpid();
	int err, status = 0;
	pid_t pid;

	r->fd = -1;
	r->apart = (struct apart){ 0 };
	count_spool_name(r->spool, r->name);
	r->counts = mmap(NULL, sizeof(*r->counts), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->counts == MAP_FAILED)
		return -ECANCELED;
	err = r->config->source == AGENT_REPLAY ? play_back(r) : record(r);
	if (!err) {
		pid = fork();
		if (!pid)
			count(r, agent);
		if (pid > 0)
			status = wait_for(r, pid);
		else
			log_say(LOG_LOST, "csflow: %s: lost: %s\n", r->name, strerror(errno));
		err = pid > 0 ? judge(r, status) : -ECANCELED;
	}
	munmap(r->counts, sizeof(*r->counts));
	apart_free(&r->apart);
	if (r->fd >= 0)
		close(r->fd);
	return err;
}

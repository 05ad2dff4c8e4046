// SPDX-License-Identifier: GPL-2.0-only
#include "agent-config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../input/recording.h"
#include "../lib/file.h"
#include "../lib/memory.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define MIB		(1ull << 20)
#define BUFFER_MAX	(1024 * MIB)
#define DAY_MS		(24 * 3600 * 1000ull)

/* TIME is in ms, PERCENT in thousandths. */
enum kind { TEXT, CPUS, LIST, CHOICE, YES_NO, SIZE, RATE, TIME, PERCENT };

static const char *const sources[] = { "live", "replay", NULL };
static const char *const counts[] = { "full", "quick", NULL };
static const char *const keeps[] = { "never", "on-demand", NULL };
static const char *const yes_no[] = { "no", "yes", NULL };

/**
 * struct key - a key of the file
 * @offset: of its field in struct agent_config
 * @least, @most: of numbers
 */
struct key {
	const char *section, *name;
	enum kind kind;
	size_t offset;
	const char *const *choice;
	uint64_t least, most;
};

#define KEY(s, n, k, f, ...) \
	{ .section = (s), .name = (n), .kind = (k), \
	  .offset = offsetof(struct agent_config, f), __VA_ARGS__ }

static const struct key keys[] = {
	KEY("record", "source", CHOICE, source, .choice = sources),
	KEY("record", "replay", TEXT, replay),
	KEY("record", "rate", RATE, rate, .most = 1ull << 40),
	KEY("record", "cpus", CPUS, cpus),
	KEY("record", "cgroup", TEXT, cgroup),
	KEY("record", "period", TIME, period, .least = 10, .most = 30 * DAY_MS),
	KEY("record", "duration", TIME, duration, .least = 1, .most = DAY_MS),
	KEY("record", "buffer", SIZE, buffer, .least = 4096, .most = BUFFER_MAX),
	KEY("record", "keep-trace", CHOICE, keep, .choice = keeps),
	KEY("count", "counts", CHOICE, counts, .choice = counts),
	KEY("count", "names", YES_NO, names, .choice = yes_no),
	KEY("exclude", "process", LIST, not_comm),
	KEY("exclude", "unit", LIST, not_unit),
	KEY("exclude", "cgroup", LIST, not_cgroup),
	KEY("exclude", "user", LIST, not_user),
	KEY("spool", "folder", TEXT, folder),
	KEY("spool", "size", SIZE, size, .least = 4096, .most = 1ull << 50),
	KEY("limits", "cpu", PERCENT, cpu, .least = 1, .most = 1000 * 1000),
	KEY("limits", "memory", SIZE, memory, .least = 2 * MEMORY_LEAST, .most = 1ull << 50),
};

#define N_KEYS	ARRAY_SIZE(keys)

/* The form of a value, for messages. */
static const char *const wanted[] = {
	[TEXT] = "it is empty",
	[CPUS] = "not a list of CPUs, such as 0,4-7",
	[LIST] = "not a list of words",
	[SIZE] = "not a size, such as 64M",
	[RATE] = "not a number of bytes a second, such as 10M",
	[TIME] = "not a time, such as 500ms, 10s, 5m or 1h",
	[PERCENT] = "not a share of one CPU, such as 5% or 0.5%",
};

/* ---------------------------------------------------------------- values */

/* "500ms", "10s", "5m", "1h", or seconds. */
static bool read_time(const char *text, uint64_t *ms)
{
	static const struct { const char *name; uint64_t ms; } unit[] = {
		{ "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "min", 60000 },
		{ "h", 3600000 },
	};
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ms = strtoull(text, &end, 10);
	end += strspn(end, " ");
	for (size_t i = 0; i < ARRAY_SIZE(unit); i++)
		if (!strcmp(end, unit[i].name))
			return !errno && !__builtin_mul_overflow(*ms, unit[i].ms, ms);
	return false;
}

/* "5%", "0.5%": with one digit after the point. */
static bool read_percent(const char *text, uint64_t *thousandths)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*thousandths = strtoull(text, &end, 10);
	if (errno || *thousandths > UINT32_MAX)
		return false;
	*thousandths *= 10;
	if (*end == '.' && end[1] >= '0' && end[1] <= '9') {
		*thousandths += end[1] - '0';
		end += 2;
	}
	return !strcmp(end, "%");
}

static bool read_number(enum kind kind, const char *text, uint64_t *number)
{
	switch (kind) {
	case TIME:
		return read_time(text, number);
	case PERCENT:
		return read_percent(text, number);
	default:
		return memory_size(text, number);
	}
}

static bool read_cpus(const char *text)
{
	struct perf_cpus *ranges = NULL;
	size_t n;
	bool valid = recording_ranges(text, &ranges, &n);

	free(ranges);
	return valid;
}

/* The words of @text, which is cut at its blanks and commas. */
static bool read_list(char *text, struct opt_list *list)
{
	static const char between[] = " \t,";
	char *left = NULL;

	for (char *word = strtok_r(text, between, &left); word;
	     word = strtok_r(NULL, between, &left)) {
		const char **grown = realloc(list->value, (list->n + 1) * sizeof(*grown));

		if (!grown)
			return false;
		list->value = grown;
		list->value[list->n++] = word;
	}
	return list->n;
}

static int choice(const struct key *key, const char *value)
{
	for (int i = 0; key->choice[i]; i++)
		if (!strcmp(key->choice[i], value))
			return i;
	return -1;
}

/* ---------------------------------------------------------------- entries */

struct reader {
	struct agent_config *config;
	struct problems *problems;
	unsigned int line[N_KEYS];	/* where it was set; 0: it was not */
};

static void wrong(struct reader *r, const struct ini_entry *e, const char *why)
{
	problems_error(r->problems, r->config->ini.name, e->line, "%s = %s: %s", e->key, e->value,
		       why);
}

static void take_number(struct reader *r, const struct key *key, const struct ini_entry *e)
{
	uint64_t *field = (uint64_t *)((char *)r->config + key->offset), number;

	if (!read_number(key->kind, e->value, &number))
		wrong(r, e, wanted[key->kind]);
	else if (number < key->least || number > key->most)
		wrong(r, e, number < key->least ? "it is too small" : "it is too large");
	else
		*field = number;
}

static void take_choice(struct reader *r, const struct key *key, const struct ini_entry *e)
{
	const int i = choice(key, e->value);

	if (i < 0)
		problems_error(r->problems, r->config->ini.name, e->line, "%s = %s: neither %s nor %s",
			       e->key, e->value, key->choice[0], key->choice[1]);
	else if (key->kind == YES_NO)
		*(bool *)((char *)r->config + key->offset) = i;
	else
		*(int *)((char *)r->config + key->offset) = i;
}

static void take(struct reader *r, const struct key *key, const struct ini_entry *e)
{
	void *field = (char *)r->config + key->offset;

	switch (key->kind) {
	case TEXT:
	case CPUS:
		if (!*e->value || (key->kind == CPUS && !read_cpus(e->value)))
			wrong(r, e, wanted[key->kind]);
		*(const char **)field = e->value;
		break;
	case LIST:
		/* the texts are this file's own copy */
		if (!read_list((char *)e->value, field))
			wrong(r, e, wanted[key->kind]);
		break;
	case CHOICE:
	case YES_NO:
		take_choice(r, key, e);
		break;
	case SIZE:
	case RATE:
	case TIME:
	case PERCENT:
		take_number(r, key, e);
		break;
	}
}

static bool is_section(const char *name)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (ini_same(keys[i].section, name))
			return true;
	return false;
}

static void take_section(struct reader *r, const struct ini_section *s)
{
	const bool known = is_section(s->name);

	if (!known)
		problems_error(r->problems, r->config->ini.name, s->line, "[%s]: an unknown section",
			       s->name);
	for (size_t i = 0; i < s->n && known; i++) {
		size_t k = 0;

		while (k < N_KEYS && !(ini_same(keys[k].section, s->name) &&
				       ini_same(keys[k].name, s->entry[i].key)))
			k++;
		if (k == N_KEYS) {
			problems_error(r->problems, r->config->ini.name, s->entry[i].line,
				       "[%s] has no key '%s'", s->name, s->entry[i].key);
			continue;
		}
		r->line[k] = s->entry[i].line;
		take(r, &keys[k], &s->entry[i]);
	}
}

/* ---------------------------------------------------------------- all of them */

/* The line that set the field at @offset; 0: none did. */
static unsigned int line_of(const struct reader *r, size_t offset)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (keys[i].offset == offset)
			return r->line[i];
	return 0;
}

#define LINE_OF(r, field)	line_of(r, offsetof(struct agent_config, field))

/* Reports settings that exclude each other. */
static void check(struct reader *r)
{
	const struct agent_config *c = r->config;
	const bool more = c->not_unit.n || c->not_cgroup.n || c->not_user.n;
	const char *name = c->ini.name;

	if (!c->folder)
		problems_error(r->problems, name, 0, "[spool] has no folder");
	if (c->source == AGENT_REPLAY && !c->replay)
		problems_error(r->problems, name, LINE_OF(r, source),
			       "source = replay wants a recording, or a folder of them: replay = PATH");
	if (c->source == AGENT_REPLAY && c->replay && access(c->replay, R_OK))
		problems_error(r->problems, name, LINE_OF(r, replay), "replay = %s: %s", c->replay,
			       strerror(errno));
	if (c->source == AGENT_LIVE && c->replay)
		problems_error(r->problems, name, LINE_OF(r, replay),
			       "replay is for source = replay");
	if (c->duration > c->period)
		problems_error(r->problems, name,
			       LINE_OF(r, duration) ? LINE_OF(r, duration) : LINE_OF(r, period),
			       "duration is longer than period");
	if (c->buffer & (c->buffer - 1))
		problems_error(r->problems, name, LINE_OF(r, buffer), "buffer is not a power of two");
	if (c->buffer > c->memory / 4)
		problems_error(r->problems, name, LINE_OF(r, buffer),
			       "buffer is more than a quarter of memory");
	if (c->counts == AGENT_QUICK && agent_config_excludes(c))
		problems_error(r->problems, name, LINE_OF(r, counts),
			       "counts = quick: processes cannot be left out, because atom runs have no threads");
	if (c->source == AGENT_REPLAY && more)
		problems_error(r->problems, name, LINE_OF(r, source),
			       "source = replay: only [exclude] process can be told from a recording");
	if (c->source == AGENT_REPLAY && (c->cpus || c->cgroup))
		problems_error(r->problems, name, LINE_OF(r, source),
			       "source = replay: cpus and cgroup are for source = live");
}

bool agent_config_read(struct agent_config *config, const char *path)
{
	struct problems problems = { 0 };
	struct reader r = { .config = config, .problems = &problems };
	bool valid;
	int err;

	*config = (struct agent_config){
		.period = 60000, .duration = 1000, .buffer = 4 * MIB, .size = 64 * MIB, .cpu = 50,
		.memory = 256 * MIB,
	};
	err = ini_read(&config->ini, path, &problems);
	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", path, file_words(path, err));
		problems_free(&problems);
		return false;
	}
	for (size_t i = 0; i < config->ini.n; i++)
		take_section(&r, &config->ini.section[i]);
	check(&r);
	problems_print(&problems, "csflow: ");
	valid = !problems.n && !problems.dropped;
	problems_free(&problems);
	return valid;
}

void agent_config_free(struct agent_config *config)
{
	free(config->not_comm.value);
	free(config->not_unit.value);
	free(config->not_cgroup.value);
	free(config->not_user.value);
	ini_free(&config->ini);
	*config = (struct agent_config){ 0 };
}

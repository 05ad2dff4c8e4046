// SPDX-License-Identifier: GPL-2.0-only
/* csflow browse: a recording as a place to walk in, in the terminal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/failed.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/options.h"
#include "index/selection.h"
#include "input/recording.h"
#include "panes/browser.h"

static const char usage[] = "browse [OPTIONS] [PERF.DATA|SNAPSHOT|LOG]";

static const char *const colors[] = SCREEN_COLOR_WORDS;

/**
 * struct browse - the state of the command
 * @part: the threads and times that are there
 * @color: enum screen_color
 */
struct browse {
	struct operands files;
	struct recording recording;
	struct selection part;
	struct browser browser;
	int color;
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int failed(const struct browse *c, const char *what, int err)
{
	return failed_while(&c->recording.path, 1, what, err);
}

/* The screen, from its begin to its end. */
static int show(struct browse *c)
{
	int err = screen_begin(c->color);

	if (err) {
		log_say(LOG_FILE, "csflow browse: %s\n", screen_problem(err));
		return CMD_FAILED;
	}
	err = browser_run(&c->browser);
	screen_end();
	if (err)
		return failed(c, "walking", err);
	return screen_signal() ? 128 + screen_signal() : CMD_OK;
}

/* Is a run there? */
static bool wants(void *ctx, const struct perf_run *run)
{
	struct browse *c = ctx;

	return time_spans_have(&c->part.spans, run->after) &&
	       selection_has_run(&c->part, c->recording.replay, run);
}

/* To the first instruction, of any track. */
static int begin(struct browser *b)
{
	struct walk_item item;
	int ret = WALK_NONE;

	for (size_t i = 0; i < b->walk->tracks.n; i++) {
		b->walk->track = &b->walk->tracks.track[i];
		for (ret = walk_end(b->walk, &b->at, WALK_FORWARD); ret == WALK_MOVED;
		     ret = walk_step(b->walk, &b->at, WALK_FORWARD)) {
			if (walk_look(b->walk, &b->at, &item))
				return -ENOMEM;
			if (item.kind == WALK_INSN)
				return WALK_MOVED;
		}
		if (ret < 0)
			return ret;
	}
	return ret;
}

static int walk(struct browse *c)
{
	struct browser *b = &c->browser;
	int err = walk_new(&b->walk, c->recording.replay), ret, status;

	if (!err && c->part.spans.n)
		err = walk_limit(b->walk, c->part.spans.from, c->part.spans.until);
	if (!err && (c->part.spans.n || selection_of_threads(&c->part))) {
		b->walk->source.wants = wants;
		b->walk->source.ctx = c;
	}
	ret = err ? err : begin(b);
	if (err == -ENODATA || ret == WALK_NONE) {
		recording_report(&c->recording);
		if (c->recording.replay->file->usable)
			log_say(LOG_EMPTY, "csflow: %s: %s\n", c->recording.path,
				b->walk && b->walk->source.wants ?
				"nothing of the chosen threads and times can be decoded" :
				"no instruction can be decoded: csflow doctor says why");
		status = CMD_FAILED;
	} else if (ret < 0) {
		status = failed(c, "walking", ret);
	} else {
		status = show(c);
	}
	browser_fini(b);
	walk_free(b->walk);
	return status;
}

static int browse(struct browse *c)
{
	struct browser *b = &c->browser;
	int status = recording_open(&c->recording), err;

	if (!status && c->part.spans.n)
		status = time_spans_settle(&c->part.spans, &c->recording);
	if (status)
		return status;
	b->name = base_of(c->recording.path);
	b->source.symfs = c->recording.options.dso.symfs;
	b->search.ask = "Search a function, or an address: ";
	b->go.ask = "Go to a time in seconds, or a share such as 50%: ";
	b->label.ask = "Name of the bookmark (empty: its place): ";
	err = disasm_new(&b->dis);
	if (err == -ENOENT)
		log_say(LOG_TOOL, "csflow browse: no LLVM library to disassemble with: install libllvm19\n");
	status = walk(c);
	recording_close(&c->recording);
	return status;
}

int cmd_browse(int argc, char **argv)
{
	struct browse *c = calloc(1, sizeof(*c));
	int status;

	if (!c)
		return failed_at_once("browse");

	struct dso_options *dso = &c->recording.options.dso;
	const struct opt table[] = {
		OPT_INPUT(&c->files.inputs),
		OPT_CHOICE(0, "color", &c->color, colors, "WHEN", "show colours"),
		OPT_GROUP("Which part:"),
		OPT_SELECTION_RUNS(&c->part),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&c->recording.snapshot),
		OPT_FILES(dso),
		OPT_KERNEL(dso),
		OPT_SPEED(&c->recording.options.n_threads),
		OPT_END
	};
	const int n = options_parse(argc, argv, table, usage);

	c->recording.options.marks = CSF_MARK_TIME;
	status = selection_read(&c->part);
	c->recording.cpus = c->part.cpus;
	if (!status)
		status = recording_choose(&c->recording, &c->files, n, argv, usage);
	if (!status)
		status = browse(c);
	operands_free(&c->files);
	selection_fini(&c->part);
	free(c->recording.snapshot.elf.value);
	free(c);
	return status;
}

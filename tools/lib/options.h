/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of a subcommand: a table of typed rows, ended by OPT_END.
 *
 *	bool verbose = false;
 *	uint64_t id = 0;
 *	const struct opt table[] = {
 *		OPT_FLAG('v', "verbose", &verbose, "say more"),
 *		OPT_U64(0, "id", &id, "ID", "trace ID"),
 *		OPT_END
 *	};
 *
 * --name=value, --name value, -n value, --no-name for flags; any abbreviation
 * that fits one name only; -- ends the options.  --help, and what completes a command in a shell,
 * come from the same table: see options-help.h.
 */
#ifndef CSF_OPTIONS_H
#define CSF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "progress.h"

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_GROUP,		/* a heading in the help text */
	OPT_KIND_FLAG,
	OPT_KIND_STRING,
	OPT_KIND_OUTPUT,
	OPT_KIND_NEW_FILE,
	OPT_KIND_OPTIONAL,
	OPT_KIND_U64,
	OPT_KIND_U32,
	OPT_KIND_CHOICE,
	OPT_KIND_WORDS,
	OPT_KIND_LIST,
	OPT_KIND_MEMORY,
	OPT_KIND_SERVERS,
	OPT_KIND_REFUSED,	/* others have it: @help names the way */
};

/**
 * struct opt_list - the values of an option that may be given more than once
 * @value: borrowed from argv; the array is the caller's to free
 */
struct opt_list {
	const char **value;
	size_t n;
};

/**
 * struct opt - one option
 * @name: without the dashes
 * @value: the variable to set; its type depends on @kind, and the macros check it
 * @arg: what the help text calls the value
 * @help: one line; " (default: x)" at its end, unless @choice shows it
 * @choice: the words allowed, ended by NULL; *@value becomes the index or, for OPT_WORDS(), a bit
 *          for each word
 * @word: a short form of several letters, or NULL
 * @seen: set if the option was given; may be NULL
 * @is_path: for text: it names a file that must exist
 * @off: a flag that is on, so @help tells of --no-@name
 * @letter: short form, or 0
 */
struct opt {
	const char *name;
	void *value;
	const char *arg;
	const char *help;
	const char *const *choice;
	const char *word;
	bool *seen;
	enum opt_kind kind;
	char letter;
	bool is_path, off;
};

#define OPT_TYPED(type, v)	(1 ? (v) : (type *)NULL)
#define OPT_ROW(k, l, n, v, a, h) \
	.kind = (k), .letter = (l), .name = (n), .value = (v), .arg = (a), .help = (h)
#define OPT_FLAG(l, n, v, h) \
	{ OPT_ROW(OPT_KIND_FLAG, l, n, OPT_TYPED(bool, v), NULL, h) }
/* A flag that is on, unless --no-@n is given. */
#define OPT_NO(n, v, h) \
	{ OPT_ROW(OPT_KIND_FLAG, 0, n, OPT_TYPED(bool, v), NULL, h), .off = true }
#define OPT_PROGRESS(v) \
	{ OPT_ROW(OPT_KIND_FLAG, 0, "progress", OPT_TYPED(bool, v), NULL, \
		  "never show progress; --progress: always"), \
	  .off = true, .seen = &progress_asked }
/* For a command whose listing is often read on the same terminal: off by default. */
#define OPT_PROGRESS_OFF(v) \
	{ OPT_ROW(OPT_KIND_FLAG, 0, "progress", OPT_TYPED(bool, v), NULL, \
		  "always show progress (default: off)"), \
	  .seen = &progress_asked }
#define OPT_STRING(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_STRING, l, n, OPT_TYPED(const char *, v), a, h) }
/* Text of these words: the reader of it checks them. */
#define OPT_STRING_OF(l, n, v, c, a, h) \
	{ OPT_ROW(OPT_KIND_STRING, l, n, OPT_TYPED(const char *, v), a, h), .choice = (c) }
#define OPT_PATH(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_STRING, l, n, OPT_TYPED(const char *, v), a, h), .is_path = true }
/* The value must follow a "="; without one it is "". */
#define OPT_OPTIONAL(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_OPTIONAL, l, n, OPT_TYPED(const char *, v), a, h) }
/* One of the words @c, likewise. */
#define OPT_OPTIONAL_OF(l, n, v, c, a, h) \
	{ OPT_ROW(OPT_KIND_OPTIONAL, l, n, OPT_TYPED(const char *, v), a, h), .choice = (c) }
/* An output: "-", like no option, is standard output, NULL.  @s: set if given, or NULL */
#define OPT_OUTPUT_SEEN(l, n, v, s, a, h) \
	{ OPT_ROW(OPT_KIND_OUTPUT, l, n, OPT_TYPED(const char *, v), a, h), .seen = (s) }
#define OPT_OUTPUT(l, n, v, a, h)	OPT_OUTPUT_SEEN(l, n, v, NULL, a, h)
/* An output that cannot be a stream: a file that is read again, or several.  "-" is refused. */
#define OPT_NEW_FILE(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_NEW_FILE, l, n, OPT_TYPED(const char *, v), a, h) }
#define OPT_U64(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_U64, l, n, OPT_TYPED(uint64_t, v), a, h) }
#define OPT_U64_SEEN(l, n, v, s, a, h) \
	{ OPT_ROW(OPT_KIND_U64, l, n, OPT_TYPED(uint64_t, v), a, h), .seen = (s) }
#define OPT_U32(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_U32, l, n, OPT_TYPED(uint32_t, v), a, h) }
#define OPT_U32_SEEN(l, n, v, s, a, h) \
	{ OPT_ROW(OPT_KIND_U32, l, n, OPT_TYPED(uint32_t, v), a, h), .seen = (s) }
#define OPT_CHOICE(l, n, v, c, a, h) \
	{ OPT_ROW(OPT_KIND_CHOICE, l, n, OPT_TYPED(int, v), a, h), .choice = (c) }
/* Words with commas between them: bit 0 of the value is the first of @c.  None given: unchanged. */
#define OPT_WORDS(l, n, v, c, a, h) \
	{ OPT_ROW(OPT_KIND_WORDS, l, n, OPT_TYPED(uint32_t, v), a, h), .choice = (c) }
#define OPT_LIST(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_LIST, l, n, OPT_TYPED(struct opt_list, v), a, h) }
#define OPT_PATHS(l, n, v, a, h) \
	{ OPT_ROW(OPT_KIND_LIST, l, n, OPT_TYPED(struct opt_list, v), a, h), .is_path = true }
#define OPT_THREADS(v) \
	OPT_U32('j', "threads", v, "N", "decode with N threads (default: all processors)")
/* Takes effect as soon as it is read. */
#define OPT_MEMORY \
	{ OPT_ROW(OPT_KIND_MEMORY, 0, "mem", NULL, "SIZE", "the most memory to use, such as 64M") }
/* A flag.  Without it $DEBUGINFOD_URLS is unset, because libdw would use it, too. */
#define OPT_SERVERS(v) \
	{ OPT_ROW(OPT_KIND_SERVERS, 0, "debuginfod", OPT_TYPED(bool, v), NULL, \
		  "ask the servers of $DEBUGINFOD_URLS for missing files") }
/* Options of several subcommands: the recording, and where files are (struct dso_options). */
#define OPT_INPUT(v) \
	OPT_LIST('i', "input", v, "FILE", \
		 "the file to read, instead of an operand (default: perf.data)")
#define OPT_CPUS(v)	OPT_STRING('C', "cpu", v, "LIST", "only these CPUs, such as 0,4-7")
#define OPT_VERBOSE(v)	OPT_FLAG('v', "verbose", v, "also report what is unusual")
#define OPT_WHOSE(w) \
	OPT_STRING(0, "tid", &(w)->tids, "LIST", "only these threads"), \
	OPT_STRING(0, "pid", &(w)->pids, "LIST", "only these processes")
#define OPT_BUILDID_DIR(d) \
	OPT_STRING(0, "buildid-dir", &(d)->debug_dir, "DIR", \
		   "perf's build-id cache (default: ~/.debug)")
#define OPT_FILES(d) \
	OPT_PATH(0, "symfs", &(d)->symfs, "DIR", "look for files below DIR"), \
	OPT_PATH('k', "vmlinux", &(d)->vmlinux, "FILE", "the kernel that was traced"), \
	OPT_BUILDID_DIR(d), \
	OPT_SERVERS(&(d)->debuginfod)
#define OPT_BUFFER(v) \
	OPT_STRING(0, "buffer", v, "NAME", "the trace buffer of a snapshot (default: the first)")
#define OPT_BINARY(v) \
	OPT_PATHS(0, "binary", v, "FILE", "the file of a program that ran, by its build-id")
#define OPT_KERNEL(d) \
	OPT_PATH(0, "kcore", &(d)->kcore, "FILE", "an image of the kernel's memory"), \
	OPT_PATH(0, "kallsyms", &(d)->kallsyms, "FILE", \
		 "names of the kernel's functions (default: those of the recording)")
/* Not in the list of options: a user who knows it from another command is told the way, @w. */
#define OPT_REFUSED(l, n, w) \
	{ .kind = OPT_KIND_REFUSED, .letter = (l), .name = (n), .help = (w) }
/* Rows of index/selection.h that a command does not have. */
#define OPT_NO_CPUS(w)		OPT_REFUSED(0, "cpu", w)
#define OPT_NO_TIME(w)		OPT_REFUSED(0, "time", w)
#define OPT_NO_THREADS(w) \
	OPT_REFUSED(0, "tid", w), OPT_REFUSED(0, "pid", w), OPT_REFUSED(0, "comms", w), \
	OPT_REFUSED(0, "exclude-comm", w)
#define OPT_NO_CODE(w)		OPT_REFUSED(0, "dsos", w), OPT_REFUSED(0, "symbols", w)
/* The last group of most commands. */
#define OPT_SPEED(v)	OPT_GROUP("Speed and memory:"), OPT_THREADS(v), OPT_MEMORY
#define OPT_FILES_GROUP	OPT_GROUP("Finding files:")
#define OPT_GROUP(h)	{ .kind = OPT_KIND_GROUP, .help = (h) }
#define OPT_END		{ .kind = OPT_KIND_END }

/**
 * options_parse() - take the options out of @argv
 * @usage: the words after "csflow" in the first line of the help text; " | " begins another line
 *
 * The operands move up to argv[1]...  On --help, prints the help text and
 * exits with status 0; on --list-opts, prints the table for a shell, likewise.  On anything that is
 * not in the table, reports it and exits with status 2.
 *
 * Return: number of operands.
 */
int options_parse(int argc, char **argv, const struct opt *table, const char *usage);

/* Reports that @what is wrong with the operands of @command.  Return: CMD_USAGE. */
int options_wrong(const char *command, const char *usage, const char *what);

/* The value of OPT_THREADS(), or the number of processors; 1 or more, and within OPT_MEMORY. */
uint32_t options_threads(uint32_t given);

/* Each value of @list may be several words, "a,b".  Return: @word is one, or @list is empty. */
bool opt_list_has(const struct opt_list *list, const char *word);

/* The same for the name of a function: one of C++ may be in the list without parameters. */
bool opt_list_has_function(const struct opt_list *list, const char *name);

/*
 * "FILE" or "FILE@OFFSET": the part before the @ to @path, of @n bytes.  An @ with anything but a
 * number after it belongs to the name.
 */
void options_file_at(const char *text, char *path, size_t n, uint64_t *offset);

/* One number: decimal, or 0x and hexadecimal; nothing after it.  Return: it was a number. */
bool options_number(const char *text, uint64_t *number);

#endif /* CSF_OPTIONS_H */

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../decoder/csflow.h"
#include "../../perf-plugin/demangle.h"
#include "log.h"
#include "status.h"
#include "file.h"
#include "memory.h"
#include "near.h"
#include "options-help.h"
#include "output.h"
#include "terminal.h"

/* More rows than any table has. */
#define ROWS_MAX	96

/**
 * struct parser - the state of options_parse()
 * @first: the values of choices before any option was read: the defaults
 */
struct parser {
	const struct opt *table;
	const char *usage;
	int argc, i;
	char **argv;
	int first[ROWS_MAX];
};

static void say_usage(const char *command, const char *usage)
{
	log_say(LOG_USAGE, "\n");
	options_print_usage(log_to(LOG_NOTE), usage);
	log_say(LOG_NOTE, "'csflow help %s' lists the options\n", command);
}

int options_wrong(const char *command, const char *usage, const char *what)
{
	log_say(LOG_USAGE, "csflow %s: %s", command, what);
	say_usage(command, usage);
	return CMD_USAGE;
}

__attribute__((format(printf, 2, 3), noreturn))
static void wrong(const struct parser *p, const char *format, ...)
{
	va_list ap;

	log_say(LOG_USAGE, "csflow %s: ", p->argv[0]);
	va_start(ap, format);
	vfprintf(log_to(LOG_USAGE), format, ap);
	va_end(ap);
	say_usage(p->argv[0], p->usage);
	exit(CMD_USAGE);
}

__attribute__((noreturn))
static void help(const struct parser *p)
{
	terminal_begin();
	terminal_page();
	options_print_usage(stdout, p->usage);
	putchar('\n');
	options_print_help(p->table, p->first);
	printf("\n'man csflow-%.*s' says more, with examples.\n", (int)strcspn(p->usage, " "),
	       p->usage);
	exit(output_arrived() ? CMD_OK : CMD_FAILED);
}

/* For shells; perf's commands have an option of this name, too. */
__attribute__((noreturn))
static void list(const struct parser *p)
{
	options_print_list(p->table, p->first, p->usage);
	exit(output_arrived() ? CMD_OK : CMD_FAILED);
}

bool options_number(const char *text, uint64_t *number)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = text + (hex ? 2 : 0);
	char *end;

	if (!strchr(hex ? "0123456789abcdefABCDEF" : "0123456789", digits[0]) || !digits[0])
		return false;
	errno = 0;
	*number = strtoull(digits, &end, hex ? 16 : 10);
	return !errno && !*end;
}

void options_file_at(const char *text, char *path, size_t n, uint64_t *offset)
{
	const char *at = strrchr(text, '@');

	if (!at || !options_number(at + 1, offset)) {
		*offset = 0;
		at = text + strlen(text);
	}
	snprintf(path, n, "%.*s", (int)(at - text), text);
}

static void set_number(const struct parser *p, const struct opt *o, const char *text)
{
	uint64_t number;

	if (!options_number(text, &number))
		wrong(p, "--%s wants a number, not '%s'", o->name, text);
	if (o->kind == OPT_KIND_U64)
		*(uint64_t *)o->value = number;
	else if (number > UINT32_MAX)
		wrong(p, "--%s wants a number of 32 bits, not '%s'", o->name, text);
	else
		*(uint32_t *)o->value = number;
}

/* "a, b, c": all words that an option takes. */
static const char *all_words(const struct opt *o)
{
	static char text[512];
	int n = 0;

	for (int i = 0; o->choice[i]; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "", o->choice[i]);
	return text;
}

/* The number of the word of @n letters. */
static int word_number(const struct parser *p, const struct opt *o, const char *text, size_t n)
{
	char typed[OPTIONS_NAME_MAX];
	struct near near = { .typed = typed };

	snprintf(typed, sizeof(typed), "%.*s", (int)n, text);
	for (int i = 0; o->choice[i]; i++)
		if (!strncmp(o->choice[i], text, n) && !o->choice[i][n])
			return i;
	for (int i = 0; o->choice[i]; i++)
		near_try(&near, o->choice[i]);
	wrong(p, "--%s does not know '%s', only %s%s%s%s", o->name, typed, all_words(o),
	      near.name ? "; did you mean '" : "", near.name ? near.name : "",
	      near.name ? "'?" : "");
}

static void set_words(const struct parser *p, const struct opt *o, const char *text)
{
	uint32_t *bits = o->value;

	*bits = 0;
	for (;; text++) {
		size_t n = strcspn(text, ",");

		*bits |= 1u << word_number(p, o, text, n);
		text += n;
		if (!*text)
			return;
	}
}

static void add_value(const struct parser *p, struct opt_list *list, const char *text)
{
	const char **grown = realloc(list->value, (list->n + 1) * sizeof(*grown));

	if (!grown)
		wrong(p, "no memory");
	list->value = grown;
	list->value[list->n++] = text;
}

static void limit_memory(const struct parser *p, const struct opt *o, const char *text)
{
	uint64_t bytes;

	if (!memory_size(text, &bytes))
		wrong(p, "--%s wants a size, as 64M, not '%s'", o->name, text);
	if (bytes < MEMORY_LEAST)
		wrong(p, "--%s=%s: at least %lluM are needed", o->name, text,
		      MEMORY_LEAST >> 20);
	if (!memory_limit(bytes))
		wrong(p, "--%s: /proc does not tell how much memory is in use", o->name);
}

/* Without this a wrong name would be ignored silently.  "": as if not given. */
static void look_at(const struct parser *p, const struct opt *o, const char *text)
{
	const bool folder = !strcmp(o->arg, "DIR");
	char file[PATH_MAX];
	const char *path = text;
	uint64_t offset;
	struct stat st;

	if (!*path)
		return;
	if (strchr(o->arg, '@')) {
		options_file_at(text, file, sizeof(file), &offset);
		path = file;
	}
	if (access(path, R_OK) || stat(path, &st))
		wrong(p, "--%s: %s: %s", o->name, path, strerror(errno));
	if (folder && !S_ISDIR(st.st_mode))
		wrong(p, "--%s: %s: no directory", o->name, path);
	if (!folder && !S_ISREG(st.st_mode))
		wrong(p, "--%s: %s: %s", o->name, path, file_odd(path));
}

/* Otherwise a reader of the pipe would wait for ever, and a file "-" would be made. */
static void refuse_dash(const struct parser *p, const struct opt *o, const char *text)
{
	if (!strcmp(text, "-"))
		wrong(p, "--%s wants the name of a file: this does not go to standard output",
		      o->name);
}

static bool is_flag(const struct opt *o)
{
	return o->kind == OPT_KIND_FLAG || o->kind == OPT_KIND_SERVERS;
}

/* @text is NULL if there is no "=value". */
static void set(struct parser *p, const struct opt *o, const char *text, bool on)
{
	if (o->kind == OPT_KIND_REFUSED)
		wrong(p, "there is no option --%s: %s", o->name, o->help);
	if (o->seen)
		*o->seen = true;
	if (is_flag(o)) {
		if (text)
			wrong(p, "--%s takes no value", o->name);
		*(bool *)o->value = on;
		return;
	}
	if (!on)
		wrong(p, "there is no --no-%s", o->name);
	if (!text && o->kind == OPT_KIND_OPTIONAL)
		text = "";
	if (!text) {
		if (p->i + 1 >= p->argc)
			wrong(p, "--%s wants a value", o->name);
		text = p->argv[++p->i];
	}
	if (o->is_path)
		look_at(p, o, text);
	switch (o->kind) {
	case OPT_KIND_OPTIONAL:
		if (o->choice && *text)
			word_number(p, o, text, strlen(text));
		*(const char **)o->value = text;
		break;
	case OPT_KIND_STRING:
		*(const char **)o->value = text;
		break;
	case OPT_KIND_OUTPUT:
		*(const char **)o->value = strcmp(text, "-") ? text : NULL;
		break;
	case OPT_KIND_NEW_FILE:
		refuse_dash(p, o, text);
		*(const char **)o->value = text;
		break;
	case OPT_KIND_U64:
	case OPT_KIND_U32:
		set_number(p, o, text);
		break;
	case OPT_KIND_CHOICE:
		*(int *)o->value = word_number(p, o, text, strlen(text));
		break;
	case OPT_KIND_WORDS:
		set_words(p, o, text);
		break;
	case OPT_KIND_LIST:
		add_value(p, o->value, text);
		break;
	case OPT_KIND_MEMORY:
		limit_memory(p, o, text);
		break;
	case OPT_KIND_END:
	case OPT_KIND_GROUP:
	case OPT_KIND_FLAG:
	case OPT_KIND_SERVERS:
	case OPT_KIND_REFUSED:
		break;
	}
}

/* The row for the first @n letters of @name: the whole name, or the only one that begins so. */
static const struct opt *find(const struct parser *p, const char *name, size_t n)
{
	const struct opt *found = NULL, *refused = NULL;

	for (const struct opt *o = p->table; o->kind != OPT_KIND_END; o++) {
		if (!o->name || strncmp(o->name, name, n))
			continue;
		if (!o->name[n])
			return o;
		if (o->kind == OPT_KIND_REFUSED) {
			refused = o;
			continue;
		}
		if (found)
			wrong(p, "--%.*s could be --%s or --%s", (int)n, name, found->name,
			      o->name);
		found = o;
	}
	return found ? found : refused;
}

/* @typed: @n letters after the dashes */
__attribute__((noreturn))
static void no_such(const struct parser *p, const char *dashes, const char *typed, size_t n)
{
	const bool no = n > 3 && !strncmp(typed, "no-", 3);
	char name[OPTIONS_NAME_MAX];
	struct near near = { .typed = name + (no ? 3 : 0) };

	snprintf(name, sizeof(name), "%.*s", (int)n, typed);
	for (const struct opt *o = p->table; o->kind != OPT_KIND_END; o++)
		if (o->name && o->kind != OPT_KIND_REFUSED)
			near_try(&near, o->name);
	near_try(&near, options_help_row.name);
	near_try(&near, "color");
	if (no)
		near_try(&near, "pager");
	if (!near.name)
		wrong(p, "there is no option %s%.*s", dashes, (int)n, typed);
	wrong(p, "there is no option %s%.*s; did you mean --%s%s?", dashes, (int)n, typed,
	      no ? "no-" : "", near.name);
}

/* Options of all commands, as before the command: see csflow(1). */
static void set_log(struct parser *p, const char *name, size_t n, const char *value)
{
	char option[OPTIONS_NAME_MAX];
	const char *why;

	snprintf(option, sizeof(option), "%.*s", (int)n, name);
	if (!value && p->i + 1 < p->argc)
		value = p->argv[++p->i];
	why = log_option(option, value);
	if (why)
		wrong(p, "--%s%s%s: %s", option, value ? "=" : "", value ? value : "", why);
}

/* Likewise, but a value must follow a "=". */
static void set_terminal(struct parser *p, const char *name, size_t n, const char *value)
{
	const char *why = terminal_option(name, n, value);

	if (why)
		wrong(p, "--%s: %s", name, why);
}

static void long_option(struct parser *p, const char *name)
{
	size_t n = strcspn(name, "=");
	const char *value = name[n] ? name + n + 1 : NULL;
	const struct opt *o;

	if (!strcmp(name, "help"))
		help(p);
	if (!strcmp(name, "list-opts"))
		list(p);
	o = find(p, name, n);
	if (o) {
		set(p, o, value, true);
		return;
	}
	if (log_is_option(name, n)) {
		set_log(p, name, n, value);
		return;
	}
	if (terminal_is_option(name, n)) {
		set_terminal(p, name, n, value);
		return;
	}
	if (n > 3 && !strncmp(name, "no-", 3))
		o = find(p, name + 3, n - 3);
	if (!o)
		no_such(p, "--", name, n);
	set(p, o, value, false);
}

/* A whole name after one dash: as letters it would be an option with the rest for its value. */
static void refuse_name(const struct parser *p, const char *name)
{
	const size_t n = strcspn(name, "=");

	for (const struct opt *o = p->table; n > 2 && o->kind != OPT_KIND_END; o++)
		if (o->name && !strncmp(o->name, name, n) && !o->name[n])
			no_such(p, "-", name, n);
}

/* A short form of several letters: -bs.  Return: it is one. */
static bool short_word(struct parser *p, const char *word)
{
	for (const struct opt *o = p->table; o->kind != OPT_KIND_END; o++)
		if (o->word && !strcmp(o->word, word)) {
			set(p, o, NULL, true);
			return true;
		}
	return false;
}

/* -v, -vq for flags, -n 3 or -n3. */
static void short_options(struct parser *p, const char *letters)
{
	if (short_word(p, letters))
		return;
	refuse_name(p, letters);
	for (; *letters; letters++) {
		const struct opt *o = p->table;

		if (*letters == 'h')
			help(p);
		while (o->kind != OPT_KIND_END && o->letter != *letters)
			o++;
		if (o->kind == OPT_KIND_END)
			wrong(p, "there is no option -%c", *letters);
		if (is_flag(o)) {
			set(p, o, NULL, true);
			continue;
		}
		set(p, o, letters[1] ? letters + 1 : NULL, true);
		return;
	}
}

/* No server is asked, not even for debug information, unless the user wants it. */
static void choose_servers(const struct parser *p)
{
	const struct opt *o = p->table;
	const char *urls = getenv("DEBUGINFOD_URLS");

	while (o->kind != OPT_KIND_END && o->kind != OPT_KIND_SERVERS)
		o++;
	if (o->kind == OPT_KIND_END)
		return;
	if (!*(bool *)o->value)
		unsetenv("DEBUGINFOD_URLS");
	else if (!urls || !*urls)
		wrong(p, "--%s: DEBUGINFOD_URLS names no server", o->name);
}

uint32_t options_threads(uint32_t given)
{
	const long n = given ? given : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : memory_threads(n > CSF_THREADS_MAX ? CSF_THREADS_MAX : n);
}

int options_parse(int argc, char **argv, const struct opt *table, const char *usage)
{
	struct parser p = { .table = table, .usage = usage, .argc = argc, .argv = argv };
	bool ended = false;
	int n = 0;

	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++)
		if (o->kind == OPT_KIND_CHOICE)
			p.first[o - table] = *(int *)o->value;
	for (p.i = 1; p.i < argc; p.i++) {
		char *arg = argv[p.i];

		if (ended || arg[0] != '-' || !arg[1])
			argv[++n] = arg;
		else if (!strcmp(arg, "--"))
			ended = true;
		else if (arg[1] == '-')
			long_option(&p, arg + 2);
		else
			short_options(&p, arg + 1);
	}
	choose_servers(&p);
	terminal_begin();
	return n;
}

bool opt_list_has(const struct opt_list *list, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < list->n; i++)
		for (const char *p = list->value[i]; p; p = strchr(p, ',')) {
			p += *p == ',';
			if (!strncmp(p, word, n) && (!p[n] || p[n] == ','))
				return true;
		}
	return !list->n;
}

bool opt_list_has_function(const struct opt_list *list, const char *name)
{
	char *bare;
	bool has;

	if (opt_list_has(list, name))
		return true;
	bare = demangle_bare(name);
	has = bare && opt_list_has(list, bare);
	free(bare);
	return has;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "options-help.h"
#include "terminal.h"

/* Where help begins, and where a line ends. */
#define COLUMN		29
#define WIDTH		80

#define TEXT_MAX	1024

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const char preset[] = " (default: ";

const struct opt options_help_row = {
	.kind = OPT_KIND_FLAG, .letter = 'h', .name = "help", .help = "show this list and exit"
};

const char *options_name(const struct opt *o, char text[OPTIONS_NAME_MAX])
{
	snprintf(text, OPTIONS_NAME_MAX, "--%s%s", o->off ? "no-" : "", o->name);
	return text;
}

/* "-o" and "-bs", or "". */
static const char *short_name(const struct opt *o, char text[8])
{
	text[0] = 0;
	if (o->word)
		snprintf(text, 7, "-%s", o->word);
	else if (o->letter)
		snprintf(text, 7, "-%c", o->letter);
	return text;
}

/* The words of a choice, with @comma between them. */
static int put_words(char *text, size_t n, const struct opt *o, const char *comma)
{
	int len = 0;

	for (size_t i = 0; o->choice[i]; i++)
		len += snprintf(text + len, n - len, "%s%s", i ? comma : "", o->choice[i]);
	return len;
}

/* The default of a choice: the word that was chosen before the options were read. */
static const char *first_word(const struct opt *o, int first)
{
	int n = 0;

	if (o->kind != OPT_KIND_CHOICE || strstr(o->help, preset))
		return NULL;
	while (o->choice[n])
		n++;
	return first >= 0 && first < n ? o->choice[first] : NULL;
}

/* The help text, and what is known beside it: the words, and the default after them. */
static void put_help(char text[TEXT_MAX], const struct opt *o, int first, bool words)
{
	const char *end = strstr(o->help, preset), *word = first_word(o, first);
	int n;

	if (!end)
		end = o->help + strlen(o->help);
	n = snprintf(text, TEXT_MAX, "%.*s", (int)(end - o->help), o->help);
	if (words && o->choice) {
		n += snprintf(text + n, TEXT_MAX - n, ": ");
		n += put_words(text + n, TEXT_MAX - n, o, ", ");
	}
	n += snprintf(text + n, TEXT_MAX - n, "%s", end);
	if (word)
		snprintf(text + n, TEXT_MAX - n, "%s%s)", preset, word);
}

/* Prints words from column @at on, and begins a line wherever one would be too long. */
static void print_words(const char *text, int at)
{
	while (*text) {
		const int n = strcspn(text, " ");

		if (at > COLUMN && at + 1 + n > WIDTH)
			at = printf("\n%*s", COLUMN, "") - 1;
		at += printf("%s%.*s", at > COLUMN ? " " : "", n, text);
		text += n;
		text += *text == ' ';
	}
	putchar('\n');
}

static void print_row(const struct opt *o, int first)
{
	char name[OPTIONS_NAME_MAX], text[TEXT_MAX], letter[8];
	int n;

	options_name(o, name);
	n = strlen(name);
	if (o->arg)
		snprintf(name + n, sizeof(name) - n,
			 o->kind == OPT_KIND_OPTIONAL ? "[=%s]" : "=%s", o->arg);
	if (*short_name(o, letter))
		strcat(letter, ",");
	n = printf("%5s %s", letter, name);
	/* as in perf: the help for a long name is on the next line */
	if (n >= COLUMN) {
		putchar('\n');
		n = 0;
	}
	printf("%*s", COLUMN - n, "");
	put_help(text, o, first, true);
	print_words(text, COLUMN);
}

void options_print_usage(FILE *f, const char *usage)
{
	const char *head = "usage", *end;

	for (; (end = strstr(usage, " | ")); usage = end + 3) {
		fprintf(f, "%s: csflow %.*s\n", head, (int)(end - usage), usage);
		head = "   or";
	}
	fprintf(f, "%s: csflow %s\n", head, usage);
}

void options_print_help(const struct opt *table, const int *first)
{
	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		if (o->kind == OPT_KIND_GROUP)
			printf("%s%s\n", o == table ? "" : "\n", o->help);
		else if (o->kind != OPT_KIND_REFUSED)
			print_row(o, first[o - table]);
	}
	putchar('\n');
	print_row(&options_help_row, 0);
}

/* FILE@ADDR begins with the name of a file; FILES are names of programs, which need not be here. */
static const char *kind_of(const struct opt *o)
{
	const char *rest = o->arg && !strncmp(o->arg, "FILE", 4) ? o->arg + 4 : NULL;

	if (!o->arg)
		return "none";
	if (o->kind == OPT_KIND_OPTIONAL)
		return "maybe";
	if (o->choice)
		return o->kind == OPT_KIND_CHOICE ? "word" : "words";
	if (!strcmp(o->arg, "DIR"))
		return "dir";
	return (rest && *rest != 'S') || !strcmp(o->arg, "PATH") ? "file" : "any";
}

static void list_row(const struct opt *o, int first)
{
	char name[OPTIONS_NAME_MAX], text[TEXT_MAX], words[TEXT_MAX] = "-", letter[8];

	if (o->choice)
		put_words(words, sizeof(words), o, ",");
	put_help(text, o, first, false);
	short_name(o, letter);
	printf("%s\t%s\t%s\t", options_name(o, name), *letter ? letter : "-",
	       o->arg ? o->arg : "-");
	printf("%s\t%s\t%s\n", kind_of(o), words, text);
}

/* The words in small letters that follow the name of the command in lines of @usage. */
static void list_verbs(const char *usage)
{
	char verbs[TEXT_MAX];
	size_t n = 0;

	for (; usage; usage = strstr(usage, " | ")) {
		usage += strspn(usage, " |");
		usage += strcspn(usage, " ");
		if (usage[0] && islower((unsigned char)usage[1]))
			n += snprintf(verbs + n, sizeof(verbs) - n, "%s%.*s", n ? "," : "",
				      (int)strcspn(usage + 1, " "), usage + 1);
	}
	if (n)
		printf("-\t-\t-\tverb\t%s\t-\n", verbs);
}

void options_print_list(const struct opt *table, const int *first, const char *usage)
{
	list_verbs(usage);
	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++)
		if (o->kind != OPT_KIND_GROUP && o->kind != OPT_KIND_REFUSED)
			list_row(o, first[o - table]);
	list_row(&options_help_row, 0);
}

/* log.c and terminal.c read them: there are no variables to set. */
void options_print_common_list(void)
{
	static const struct opt common[] = {
		OPT_FLAG(0, "no-pager", NULL, "do not show text in a pager"),
		OPT_OPTIONAL_OF(0, "color", NULL, terminal_colours, "WHEN",
				"colours in the text (default: auto)"),
		OPT_FLAG(0, "no-color", NULL, "no colours"),
		OPT_CHOICE(0, "log-level", NULL, log_levels, "LEVEL",
			   "what to log (default: warning)"),
		OPT_NEW_FILE(0, "log-file", NULL, "FILE", "add the log to FILE"),
		OPT_CHOICE(0, "log-format", NULL, log_formats, "FORMAT",
			   "the format of the log (default: text)"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		list_row(&common[i], 0);
}

// SPDX-License-Identifier: GPL-2.0-only
/* csflow asm: turns the words of dump back into the bytes of a trace. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/new-file.h"
#include "cmd.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/terminal.h"
#include "input/unit.h"

static const char usage[] = "asm [OPTIONS] [FILE]";

/**
 * struct assembly - the state of reading
 * @unit: from options, for all lines if there are any (@unit_given)
 * @units: from lines "# [ID] --OPTIONS"; @known: there is one; @now: that of this line
 * @line: number of the line
 * @id: only lines of this trace ID, if @id_given
 * @seen: trace ID of the lines so far, with @n_seen of them
 */
struct assembly {
	struct unit unit, units[CSF_ID_MAX];
	bool unit_given, known[CSF_ID_MAX];
	const struct csf_config *now;
	const char *name, *out_name;
	FILE *in, *out;
	unsigned int line;
	uint64_t id, n_seen;
	unsigned long seen;
	bool id_given;
};

static int wrong(const struct assembly *a, const char *what, const char *where)
{
	log_say(LOG_SYNTAX, "csflow asm: %s:%u: %s", a->name, a->line, what);
	if (where)
		log_say(LOG_SYNTAX, " '%.*s'", (int)strcspn(where, " \t\n"), where);
	log_say(LOG_SYNTAX, "\n");
	return CMD_FAILED;
}

/* "raw 9a 01 02": bytes that are not a packet, or that words do not give again. */
static int raw_bytes(struct assembly *a, const char *text)
{
	while (*(text += strspn(text, " \t"))) {
		unsigned int n = strcspn(text, " \t"), byte;

		if (n != 2 || sscanf(text, "%2x", &byte) != 1 ||
		    !isxdigit((unsigned char)text[1]))
			return wrong(a, "a byte is two hexadecimal digits, not", text);
		fputc(byte, a->out);
		text += n;
	}
	return CMD_OK;
}

static int words(struct assembly *a, const char *text)
{
	uint8_t bytes[CSF_PACKET_MAX];
	struct csf_packet packet;
	const char *where = text;
	int n;

	if (!strncmp(text, "raw", 3) && (!text[3] || isblank((unsigned char)text[3])))
		return raw_bytes(a, text + 3);
	if (csf_packet_parse(a->now, text, &packet, &where) < 0)
		return wrong(a, "not understood:", where);
	n = csf_packet_write(a->now, bytes, &packet);
	if (n <= 0)
		return wrong(a, "this trace unit has no such packet; if it is another trace unit, name it with --protocol, --trcidr2 and so on, or with a line '# [ID] --protocol=...' before this one:",
			     text);
	fwrite(bytes, 1, n, a->out);
	return CMD_OK;
}

/* Chooses the trace unit of the following packets. */
static void choose(struct assembly *a, unsigned long id)
{
	if (!a->unit_given && id < CSF_ID_MAX && a->known[id])
		a->now = &a->units[id].config;
}

/* "# [10] --protocol=ete --trcidr2=0x1088", as dump writes it; any other comment is ignored. */
static int comment(struct assembly *a, const char *text)
{
	const char *where;
	char *end;
	unsigned long id;

	text += 1 + strspn(text + 1, " \t");
	if (*text != '[')
		return CMD_OK;
	id = strtoul(text + 1, &end, 16);
	text = end + 1 + strspn(end + !!*end, " \t");
	if (*end != ']' || id >= CSF_ID_MAX || strncmp(text, "--", 2))
		return CMD_OK;
	where = unit_read(&a->units[id], text);
	if (where)
		return wrong(a, "not an option of a trace unit, or not a value of it:", where);
	if (!unit_complete(&a->units[id]))
		return wrong(a, UNIT_UNKNOWN ":", text);
	a->known[id] = true;
	choose(a, id);
	return CMD_OK;
}

/* The bytes of two trace units, one after the other as they came, are no trace. */
static bool several(struct assembly *a, unsigned long id)
{
	if (!a->n_seen++)
		a->seen = id;
	if (a->seen == id)
		return false;
	log_say(LOG_SYNTAX, "csflow asm: %s:%u: trace ID 0x%lx after lines of 0x%lx: choose one with --id\n",
		a->name, a->line, id, a->seen);
	return true;
}

/* After "   21 [10] "; @text NULL: the line is of another trace ID. */
static int skip_position(struct assembly *a, char **line)
{
	char *text = *line + strspn(*line, " \t"), *id, *end;
	unsigned long of;

	text += strspn(text, "0123456789");
	text += strspn(text, " \t");
	*line = text;
	if (*text != '[')
		return CMD_OK;
	id = text + 1;
	of = strtoul(id, &end, 16);
	if (end == id || *end != ']' || of >= CSF_ID_MAX)
		return wrong(a, "not a trace ID:", text);
	*line = NULL;
	if (a->id_given && of != a->id)
		return CMD_OK;
	if (several(a, of))
		return CMD_FAILED;
	choose(a, of);
	*line = end + 1 + strspn(end + 1, " \t");
	return CMD_OK;
}

/* Words are at the start of a line or after a position; other indented lines are elements. */
static int line(struct assembly *a, char *text)
{
	size_t blanks = strspn(text, " \t");
	int status = CMD_OK;
	size_t n;

	if (*text == '#')
		return comment(a, text);
	text[strcspn(text, ";#\r\n")] = '\0';
	if (strlen(text) < blanks)
		return CMD_OK;
	if (isdigit((unsigned char)text[blanks]) || text[blanks] == '[')
		status = skip_position(a, &text);
	else if (blanks)
		return CMD_OK;
	if (!text || status)
		return status;
	for (n = strlen(text); n && isblank((unsigned char)text[n - 1]); n--)
		text[n - 1] = '\0';
	return *text ? words(a, text) : CMD_OK;
}

static int assemble(struct assembly *a)
{
	char *text = NULL;
	size_t size = 0;
	int status = CMD_OK;
	ssize_t n;

	while (status == CMD_OK && (n = getline(&text, &size, a->in)) >= 0) {
		a->line++;
		status = strlen(text) == (size_t)n ? line(a, text) :
			 wrong(a, "a zero byte, which is not text", NULL);
	}
	free(text);
	if (status == CMD_OK && ferror(a->in)) {
		log_say(LOG_FILE, "csflow asm: %s: %s\n", a->name, strerror(errno));
		status = CMD_FAILED;
	}
	return status;
}

static FILE *opened(FILE *f, const char *path)
{
	if (!f)
		log_say(LOG_FILE, "csflow asm: %s: %s\n", path, file_words(path, -errno));
	return f;
}

static int run(struct assembly *a)
{
	int status = CMD_FAILED, err = 0;

	if (a->in && a->out)
		status = assemble(a);
	if (a->in && a->in != stdin)
		fclose(a->in);
	if (a->out && a->out != stdout)
		err = new_file_close(a->out, 0);
	if (err) {
		log_say(LOG_FILE, "csflow asm: %s: %s\n", a->out_name, strerror(-err));
		status = CMD_FAILED;
	}
	return status;
}

int cmd_asm(int argc, char **argv)
{
	static const struct unit none;
	struct assembly a = { .name = "standard input", .in = stdin, .out = stdout };
	struct operands files = { .most = 1, .otherwise = "-" };
	const struct opt table[] = {
		OPT_OUTPUT('o', "output", &a.out_name, "FILE",
			   "where to write (default: standard output)"),
		OPT_U64_SEEN(0, "id", &a.id, &a.id_given, "ID", "only lines of this trace ID"),
		OPT_GROUP("The trace unit:"),
		UNIT_OPTIONS(&a.unit),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status;

	if (!unit_id_fits(a.id, "asm"))
		return CMD_USAGE;
	a.unit_given = memcmp(&a.unit, &none, sizeof(none));
	a.now = &a.unit.config;
	if (!unit_complete(&a.unit))
		return options_wrong("asm", usage, UNIT_UNKNOWN);
	if (!terminal_takes_binary(a.out_name))
		return CMD_USAGE;
	status = operands_take(&files, n, argv, usage);
	if (!status && strcmp(files.path[0], "-")) {
		a.name = files.path[0];
		a.in = opened(fopen(a.name, "r"), a.name);
	}
	if (!status && a.out_name)
		a.out = a.in ? opened(new_file(a.out_name), a.out_name) : NULL;
	if (!status)
		status = run(&a);
	operands_free(&files);
	return status;
}

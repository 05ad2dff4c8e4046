// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "json.h"
#include "log.h"

#define LINE_MAX	4096

/* The command's prefix, and what it says of a file: "csflow: FILE: " */
#define PREFIX		"csflow"

/* More codes than the decoder has */
#define CODES_MAX	64

/*
 * The log of this process.  @on: one of the options was given; @hushed: nothing is said now, on
 * standard error neither; @level: enum csf_severity, or 0 for nothing; @path: of @file, NULL:
 * standard error; @cookie: for log_to(); @code: the @n codes of the decoder that were seen, and
 * @seen, how often with each trace ID; @helped: the codes of which a text has said what to do;
 * @last: the last file.
 */
static struct {
	pthread_mutex_t lock;
	bool on, json, hushed;
	uint8_t level;
	const char *path;
	FILE *file, *cookie;
	struct csf_report code[CODES_MAX];
	uint64_t seen[CODES_MAX][CSF_ID_MAX + 1];
	const char *helped[CODES_MAX];
	unsigned int n, n_helped;
	char last[256];
} out = { .lock = PTHREAD_MUTEX_INITIALIZER, .level = CSF_WARNING };

/* The line that is being said, its code, and the place that it is about. */
static __thread struct {
	char text[LINE_MAX];
	size_t n, n_file;
	enum log_code code;
	uint64_t offset;
	char file[256];
} line = { .offset = CSF_REPORT_NOWHERE };

/* ---------------------------------------------------------------- options */

const char *const log_levels[] = { "none", "error", "warning", "info", NULL };
const char *const log_formats[] = { "text", "json", NULL };
static const char *const options[] = { "log-level", "log-file", "log-format", NULL };

/* Return: -1: it is none. */
static int word_of(const char *const *words, const char *text, size_t n)
{
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == n && !strncmp(words[i], text, n))
			return i;
	return -1;
}

bool log_is_option(const char *name, size_t n)
{
	return word_of(options, name, n) >= 0;
}

static const char *open_log(const char *path)
{
	FILE *file;

	if (!strcmp(path, "-")) {
		out.path = NULL;
		return NULL;
	}
	file = fopen(path, "ae");
	if (!file)
		return strerror(errno);
	if (out.file)
		fclose(out.file);
	out.file = file;
	out.path = path;
	return NULL;
}

static const char *set_option(int option, const char *value)
{
	int word;

	switch (option) {
	case 0:
		word = word_of(log_levels, value, strlen(value));
		if (word < 0)
			return "it is none of none, error, warning, info";
		out.level = word;
		return NULL;
	case 1:
		return open_log(value);
	default:
		word = word_of(log_formats, value, strlen(value));
		if (word < 0)
			return "it is neither text nor json";
		out.json = word;
		return NULL;
	}
}

const char *log_option(const char *name, const char *value)
{
	const char *why;

	if (!value)
		return "it wants a value";
	why = set_option(word_of(options, name, strlen(name)), value);
	out.on |= !why;
	return why;
}

bool log_read_environment(void)
{
	static const char *const variables[] = {
		"CSFLOW_LOG_LEVEL", "CSFLOW_LOG_FILE", "CSFLOW_LOG_FORMAT"
	};

	for (int i = 0; options[i]; i++) {
		const char *value = getenv(variables[i]);
		const char *why = value && *value ? log_option(options[i], value) : NULL;

		if (why) {
			fprintf(stderr, "csflow: %s: %s: %s\n", variables[i], value, why);
			return false;
		}
	}
	return true;
}

/* ---------------------------------------------------------------- records */

bool log_takes(enum csf_severity severity)
{
	return out.on && !out.hushed && severity <= out.level;
}

/* A key with a string, or null. */
static void put_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, ",\"%s\":", key);
	if (text)
		json_string(f, text);
	else
		fputs("null", f);
}

static void put_number(FILE *f, const char *key, uint64_t number)
{
	fprintf(f, ",\"%s\":%" PRIu64, key, number);
}

static void write_json(FILE *f, const struct log_record *record, const char *message)
{
	const struct csf_report *report = &record->report;
	char *file = record->file ? strndup(record->file, record->n_file) : NULL;

	fprintf(f, "{\"severity\":\"%s\"", csf_severity_name(report->severity));
	put_text(f, "code", report->code);
	put_text(f, "file", file);
	if (report->id < CSF_ID_MAX)
		put_number(f, "id", report->id);
	else
		fputs(",\"id\":null", f);
	if (report->index != CSF_REPORT_NOWHERE)
		put_number(f, "index", report->index);
	else
		fputs(",\"index\":null", f);
	if (record->cpu != LOG_NO_CPU)
		put_number(f, "cpu", record->cpu);
	if (report->addr)
		fprintf(f, ",\"address\":\"0x%" PRIx64 "\"", report->addr);
	if (report->lost)
		put_number(f, "lost", report->lost);
	if (report->bytes)
		put_number(f, "bytes", report->bytes);
	if (record->times)
		put_number(f, "times", record->times);
	put_text(f, "message", message);
	put_text(f, "mend", report->mend);
	fputs("}\n", f);
	free(file);
}

/* What to do is said once for each code. */
static void write_text(FILE *f, const struct csf_report *report, const char *message)
{
	unsigned int i = 0;

	fprintf(f, "csflow: %s: %s [%s]\n", csf_severity_name(report->severity), message,
		report->code);
	while (i < out.n_helped && out.helped[i] != report->code)
		i++;
	if (i < out.n_helped || i == CODES_MAX || report->severity == CSF_INFO)
		return;
	out.helped[out.n_helped++] = report->code;
	fprintf(f, "csflow: help: %s [%s]\n", report->mend, report->code);
}

static FILE *log_file(void)
{
	return out.path ? out.file : stderr;
}

/*
 * @message: without the severity and the code.  The line is written at once: log_last_words() may
 * come at any time.
 */
static void write_record(const struct log_record *record, const char *message)
{
	const struct csf_report *report = &record->report;
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	if (!log_takes(report->severity))
		return;
	pthread_mutex_lock(&out.lock);
	f = open_memstream(&text, &n);
	if (out.json)
		write_json(f ?: log_file(), record, message);
	else
		write_text(f ?: log_file(), report, message);
	if (f && !fclose(f))
		fwrite(text, 1, n, log_file());
	fflush(log_file());
	free(text);
	pthread_mutex_unlock(&out.lock);
}

void log_write(const struct log_record *record)
{
	write_record(record, record->report.words);
}

/* ---------------------------------------------------------------- lines */

/* Letters of "csflow: " or "csflow COMMAND: " at the start of @text; 0: there is none. */
static size_t prefix_length(const char *text)
{
	size_t n = strlen(PREFIX);

	if (strncmp(text, PREFIX, n))
		return 0;
	if (text[n] == ' ')
		n += 1 + strspn(text + n + 1, "abcdefghijklmnopqrstuvwxyz");
	return text[n] == ':' && text[n + 1] == ' ' ? n + 2 : 0;
}

static void end_line(void)
{
	struct log_record record = {
		.file = line.n_file ? line.file : NULL, .n_file = line.n_file, .cpu = LOG_NO_CPU,
	};
	const char *text = line.text + prefix_length(line.text);

	log_code_report(line.code, &record.report);
	record.report.index = line.offset;
	if (*text)
		write_record(&record, text);
	line.n = 0;
	line.n_file = 0;
	line.offset = CSF_REPORT_NOWHERE;
	line.text[0] = 0;
}

static void add_letters(enum log_code code, const char *text, size_t n)
{
	if (!line.n && !line.n_file)
		line.code = code;
	for (; n--; text++) {
		if (*text == '\n')
			end_line();
		else if (line.n + 1 < LINE_MAX)
			line.text[line.n++] = *text;
		line.text[line.n] = 0;
	}
}

static void remember_file(enum log_code code, const char *file, size_t n)
{
	line.code = code;
	line.n_file = n < sizeof(line.file) ? n : sizeof(line.file);
	memcpy(line.file, file, line.n_file);
}

/* The file that a line of this format begins with: its first, or second, argument; or NULL. */
static const char *file_of(enum log_code code, const char *format, va_list ap)
{
	static const char other[] = PREFIX " %s: ";
	size_t n = prefix_length(format);

	if (code == LOG_USAGE || line.n)
		return NULL;
	if (!strncmp(format, other, strlen(other))) {
		n = strlen(other);
		va_arg(ap, const char *);
	}
	return n && !strncmp(format + n, "%s:", 3) ? va_arg(ap, const char *) : NULL;
}

static void print_line(const char *format, va_list ap)
{
	if (!out.hushed && (!out.on || out.path))
		vfprintf(stderr, format, ap);
}

static void add_line(enum log_code code, const char *format, va_list ap)
{
	char text[LINE_MAX];
	const int n = vsnprintf(text, sizeof(text), format, ap);

	if (n > 0)
		add_letters(code, text, n < LINE_MAX ? n : LINE_MAX - 1);
}

void log_say(enum log_code code, const char *format, ...)
{
	const char *file;
	va_list ap;

	va_start(ap, format);
	print_line(format, ap);
	va_end(ap);
	if (!out.on)
		return;
	va_start(ap, format);
	file = file_of(code, format, ap);
	va_end(ap);
	if (file)
		remember_file(code, file, strlen(file));
	va_start(ap, format);
	add_line(code, format, ap);
	va_end(ap);
}

void log_say_place(enum log_code code, size_t n_file, uint64_t offset, const char *format, ...)
{
	char text[LINE_MAX];
	va_list ap;
	size_t n;

	va_start(ap, format);
	print_line(format, ap);
	va_end(ap);
	if (!out.on)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	n = prefix_length(text);
	if (n + n_file < strlen(text))
		remember_file(code, text + n, n_file);
	line.offset = offset;
	add_letters(code, text, strlen(text));
}

static struct iovec part_of(const char *text, size_t n)
{
	return (struct iovec){ (void *)text, n };
}

#define part(text)	part_of(text, strlen(text))

void log_last_words(enum log_code code, const char *text, size_t n)
{
	const size_t prefix = prefix_length(text);
	const struct iovec whole = part_of(text, n);
	const struct iovec message = part_of(text + prefix, n - prefix - 1);
	struct csf_report report;
	ssize_t done = 0;

	log_code_report(code, &report);
	if (!out.hushed && (!out.on || out.path))
		done = writev(STDERR_FILENO, &whole, 1);
	if (log_takes(report.severity)) {
		const struct iovec as_text[] = {
			part("csflow: error: "), message, part(" ["), part(report.code),
			part("]\n"),
		};
		const struct iovec as_json[] = {
			part("{\"severity\":\"error\",\"code\":\""), part(report.code),
			part("\",\"file\":null,\"id\":null,\"index\":null,\"message\":\""),
			message, part("\",\"mend\":\""), part(report.mend), part("\"}\n"),
		};

		done = writev(fileno(log_file()), out.json ? as_json : as_text, out.json ? 7 : 5);
	}
	(void)done;
}

static __thread enum log_code cookie_code;

static ssize_t take_letters(void *cookie, const char *text, size_t n)
{
	if (out.path && !out.hushed)
		fwrite(text, 1, n, stderr);
	add_letters(cookie_code, text, n);
	return n;
}

void log_hush(bool hushed)
{
	out.hushed = hushed;
}

FILE *log_to(enum log_code code)
{
	const cookie_io_functions_t functions = { .write = take_letters };

	if (!out.on && !out.hushed)
		return stderr;
	if (!out.cookie) {
		out.cookie = fopencookie(NULL, "w", functions);
		if (!out.cookie)
			return stderr;
		setvbuf(out.cookie, NULL, _IONBF, 0);
	}
	cookie_code = code;
	return out.cookie;
}

/* ---------------------------------------------------------------- what decoders report */

/* Counts it.  Return: how many of its code and trace ID there were, with this one. */
static uint64_t count_report(const char *file, const struct csf_report *report)
{
	const unsigned int id = report->id < CSF_ID_MAX ? report->id : CSF_ID_MAX;
	unsigned int i = 0;
	uint64_t times;

	pthread_mutex_lock(&out.lock);
	snprintf(out.last, sizeof(out.last), "%s", file);
	while (i < out.n && out.code[i].code != report->code)
		i++;
	if (i == out.n && i < CODES_MAX - 1)
		out.code[out.n++] = *report;
	times = ++out.seen[i][id];
	pthread_mutex_unlock(&out.lock);
	return times;
}

/* The message of a report of the decoder: its words and numbers. */
static void print_message(const struct csf_report *report, const char *file, char *text, size_t n)
{
	struct csf_report rest = *report;
	int len = 0;

	if (out.json) {
		rest.id = CSF_ID_MAX;
		rest.index = CSF_REPORT_NOWHERE;
	} else if (file) {
		len = snprintf(text, n, "%s: ", file);
	}
	if (len < (int)n)
		csf_report_print(&rest, text + len, n - len);
	len = strlen(text) - strlen(report->code) - 3;
	if (len > 0 && !strncmp(text + len + 2, report->code, strlen(report->code)))
		text[len] = 0;
}

void log_report(const char *file, uint32_t cpu, const struct csf_report *report)
{
	const struct log_record record = {
		.report = *report, .file = file, .n_file = file ? strlen(file) : 0, .cpu = cpu,
	};
	char text[LINE_MAX];

	if (!log_takes(report->severity) || count_report(file ? file : "", report) > LOG_GAPS_MAX)
		return;
	print_message(report, file, text, sizeof(text));
	write_record(&record, text);
}

static void write_count(unsigned int i, unsigned int id)
{
	struct log_record record = {
		.report = out.code[i], .file = out.last, .n_file = strlen(out.last),
		.cpu = LOG_NO_CPU, .times = out.seen[i][id] - LOG_GAPS_MAX,
	};
	char text[LINE_MAX], more[LINE_MAX + 32];

	record.report.id = id;
	record.report.index = CSF_REPORT_NOWHERE;
	record.report.addr = 0;
	record.report.lost = 0;
	record.report.bytes = 0;
	print_message(&record.report, *out.last ? out.last : NULL, text, sizeof(text));
	snprintf(more, sizeof(more), "%s: %" PRIu64 " more", text, record.times);
	write_record(&record, more);
}

bool log_end(void)
{
	bool bad;

	if (line.n)
		end_line();
	for (unsigned int i = 0; i < out.n; i++)
		for (unsigned int id = 0; id <= CSF_ID_MAX; id++)
			if (out.seen[i][id] > LOG_GAPS_MAX)
				write_count(i, id);
	out.n = 0;
	memset(out.seen, 0, sizeof(out.seen));
	if (!out.file)
		return true;
	bad = ferror(out.file) | fclose(out.file);
	out.file = NULL;
	out.on = false;
	if (bad)
		fprintf(stderr, "csflow: %s: the log could not be written\n", out.path);
	return !bad;
}

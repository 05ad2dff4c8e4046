// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "ini.h"

#define SIZE_MAX_INI	(16u << 20)

/* The most sections to compare with each other, against hostile input. */
#define N_COMPARED	1000

static char fold(char c)
{
	if (c == '_' || c == '-')
		return ' ';
	return tolower((unsigned char)c);
}

bool ini_same(const char *a, const char *b)
{
	while (*a && *b && fold(*a) == fold(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

bool ini_begins(const char *text, const char *start)
{
	while (*start && fold(*text) == fold(*start)) {
		text++;
		start++;
	}
	return !*start;
}

const struct ini_section *ini_section(const struct ini *ini, const char *name)
{
	for (size_t i = 0; i < ini->n; i++)
		if (ini_same(ini->section[i].name, name))
			return &ini->section[i];
	return NULL;
}

const struct ini_entry *ini_entry(const struct ini_section *section, const char *key)
{
	for (size_t i = section ? section->n : 0; i > 0; i--)
		if (ini_same(section->entry[i - 1].key, key))
			return &section->entry[i - 1];
	return NULL;
}

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	text[n] = '\0';
	return text;
}

static char *unquote(char *text)
{
	size_t n = strlen(text);

	if (n < 2 || text[0] != '"' || text[n - 1] != '"')
		return text;
	text[n - 1] = '\0';
	return text + 1;
}

static void cut_comment(char *line)
{
	for (char *c = line; *c; c++) {
		if ((*c == ';' || *c == '#') && (c == line || c[-1] == ' ' || c[-1] == '\t')) {
			*c = '\0';
			return;
		}
	}
}

/* Arrays double, so the cost of hostile input is linear. */
static void *grow(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return realloc(array, (n ? 2 * n : 1) * size);
}

static int add_section(struct ini *ini, char *name, unsigned int line)
{
	struct ini_section *grown = grow(ini->section, ini->n, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	ini->section = grown;
	ini->section[ini->n++] = (struct ini_section){ .name = trim(name), .line = line };
	return 0;
}

static int add_entry(struct ini *ini, char *key, char *value, unsigned int line)
{
	struct ini_section *s = &ini->section[ini->n - 1];
	struct ini_entry *grown = grow(s->entry, s->n, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->entry = grown;
	s->entry[s->n++] = (struct ini_entry){
		.key = trim(key), .value = unquote(trim(value)), .line = line
	};
	return 0;
}

static int parse_line(struct ini *ini, char *line, unsigned int number, struct problems *problems)
{
	char *end;

	cut_comment(line);
	line = trim(line);
	if (!*line)
		return 0;
	if (*line == '[') {
		end = strchr(line, ']');
		if (!end) {
			problems_warn(problems, ini->name, number, "'[' without ']'");
			return 0;
		}
		*end = '\0';
		return add_section(ini, line + 1, number);
	}
	end = strchr(line, '=');
	if (!end || end == line) {
		problems_warn(problems, ini->name, number, "neither [section] nor key=value");
		return 0;
	}
	if (!ini->n) {
		problems_warn(problems, ini->name, number, "key=value before the first [section]");
		return 0;
	}
	*end = '\0';
	return add_entry(ini, line, end + 1, number);
}

/* A list may have a key more than once. */
static bool is_list(const char *section)
{
	return ini_same(section, "core_trace_sources") || ini_same(section, "source_buffers") ||
	       ini_same(section, "device_list");
}

/* Compares keys without the brackets after them. */
static int compare_keys(const char *a, const char *b)
{
	while (*a && *a != '(' && fold(*a) == fold(*b)) {
		a++;
		b++;
	}
	return (*a == '(' ? 0 : fold(*a)) - (*b == '(' ? 0 : fold(*b));
}

static int by_key(const void *a, const void *b)
{
	const struct ini_entry *const *x = a, *const *y = b;
	const int order = compare_keys((*x)->key, (*y)->key);

	if (order)
		return order;
	return (*x)->line < (*y)->line ? -1 : (*x)->line > (*y)->line;
}

/* Sections with registers count as one.  Return: how many entries; they are in @entry. */
static size_t entries(const struct ini *ini, const struct ini_section *s,
		      const struct ini_entry **entry)
{
	const struct ini_section *end = ini->section + ini->n;
	const bool all = ini_same(s->name, "regs");
	size_t n = 0;

	for (const struct ini_section *from = s; from < (all ? end : s + 1); from++)
		for (size_t i = 0; i < from->n && (from == s || ini_same(from->name, s->name)); i++)
			if (entry)
				entry[n++] = &from->entry[i];
			else
				n++;
	return n;
}

/* The last of two entries with one key is used: see ini_entry(). */
static int warn_of_keys(const struct ini *ini, const struct ini_section *s,
			struct problems *problems)
{
	const size_t n = entries(ini, s, NULL);
	const struct ini_entry **order = malloc((n + 1) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	entries(ini, s, order);
	qsort(order, n, sizeof(*order), by_key);
	for (size_t i = 1; i < n; i++)
		if (!compare_keys(order[i - 1]->key, order[i]->key))
			problems_warn(problems, ini->name, order[i]->line,
				      "'%s' is repeated in [%s]: this one is used, not that of line %u",
				      order[i]->key, s->name, order[i - 1]->line);
	free(order);
	return 0;
}

/* The first of two sections of one name is used, see ini_section(), unless all are used. */
static bool all_count(const char *section)
{
	return is_list(section) || ini_same(section, "regs") || ini_begins(section, "dump");
}

static int warn_of_twice(const struct ini *ini, struct problems *problems)
{
	bool registers = false;
	int err = 0;

	for (size_t i = 0; i < ini->n && !err; i++) {
		const struct ini_section *s = &ini->section[i], *first;
		const bool known = registers && ini_same(s->name, "regs");

		first = all_count(s->name) || i > N_COMPARED ? s : ini_section(ini, s->name);
		if (first != s)
			problems_warn(problems, ini->name, s->line,
				      "[%s] is repeated: the one of line %u is used, not this one",
				      s->name, first->line);
		if (!is_list(s->name) && !known)
			err = warn_of_keys(ini, s, problems);
		registers |= ini_same(s->name, "regs");
	}
	return err;
}

static bool is_named(const char *section, const char *const names[], const char *start)
{
	if (start && ini_begins(section, start))
		return true;
	while (*names && !ini_same(section, *names))
		names++;
	return *names;
}

void ini_warn_unknown(const struct ini *ini, const char *const names[], const char *start,
		      struct problems *problems)
{
	for (size_t i = 0; i < ini->n; i++)
		if (!is_named(ini->section[i].name, names, start))
			problems_warn(problems, ini->name, ini->section[i].line,
				      "[%s]: an unknown section: ignored",
				      ini->section[i].name);
}

int ini_parse(struct ini *ini, const char *text, size_t n, struct problems *problems)
{
	unsigned int number = 0;
	int err = 0;
	char *p, *end;

	if (n > SIZE_MAX_INI)
		return -EFBIG;
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		n -= 3;
	}
	ini->text = malloc(n + 1);
	if (!ini->text)
		return -ENOMEM;
	memcpy(ini->text, text, n);
	ini->text[n] = '\0';
	for (p = ini->text; p < ini->text + n && !err; p = end + 1) {
		number++;
		end = p + strcspn(p, "\r\n");
		if (!*end && end < ini->text + n) {
			problems_warn(problems, ini->name, number, "a zero byte ends the file");
			n = end - ini->text;
		}
		if (*end == '\r' && end[1] == '\n')
			*end++ = '\0';
		*end = '\0';
		err = parse_line(ini, p, number, problems);
	}
	return err ? err : warn_of_twice(ini, problems);
}

int ini_read(struct ini *ini, const char *path, struct problems *problems)
{
	struct file file;
	int err;

	memset(ini, 0, sizeof(*ini));
	ini->name = strdup(path);
	if (!ini->name)
		return -ENOMEM;
	err = file_map(&file, path);
	if (err)
		return err;
	err = ini_parse(ini, (const char *)file.data, file.n, problems);
	file_unmap(&file);
	return err;
}

void ini_free(struct ini *ini)
{
	for (size_t i = 0; i < ini->n; i++)
		free(ini->section[i].entry);
	free(ini->section);
	free(ini->text);
	free(ini->name);
	memset(ini, 0, sizeof(*ini));
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reads JSON, counts what is in it by kind and by key, and writes it again in few bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NOTHING, YES, NO, NUMBER, TEXT, ARRAY, OBJECT, KIND_NR };

struct value {
	enum kind kind;
	double number;
	char *text;
	struct value *first, *next;
	char *key;
};

struct count {
	char *key;
	unsigned long n;
	struct count *next;
};

static const char *const kind_name[] = {
	"null", "true", "false", "number", "string", "array", "object"
};

static const char *at;
static struct count *table[251];
static unsigned long n_kind[KIND_NR], n_key;

static void fail(const char *why)
{
	fprintf(stderr, "json: %s before: %.20s\n", why, at);
	exit(1);
}

static void skip_space(void)
{
	while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
		at++;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	fail("no hexadecimal digit");
	return 0;
}

static char *put_utf8(char *to, unsigned int c)
{
	if (c < 0x80) {
		*to++ = c;
	} else if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
		*to++ = 0x80 | (c & 63);
	} else {
		*to++ = 0xe0 | c >> 12;
		*to++ = 0x80 | (c >> 6 & 63);
		*to++ = 0x80 | (c & 63);
	}
	return to;
}

static char *read_escape(char *to)
{
	static const char escape[] = "ntrbf\"/\\", escaped[] = "\n\t\r\b\f\"/\\";
	unsigned int c = 0;
	const char *found;

	if (*at == 'u') {
		at++;
		for (int i = 0; i < 4; i++)
			c = c << 4 | hex(*at++);
		return put_utf8(to, c);
	}
	found = *at ? strchr(escape, *at) : NULL;
	if (!found)
		fail("no such escape");
	at++;
	*to++ = escaped[found - escape];
	return to;
}

/* What it means is never longer than how it is written. */
static char *read_text(void)
{
	size_t n = strcspn(at + 1, "\"") + 1;
	char *text, *to;

	while (at[n] && at[n - 1] == '\\')
		n += strcspn(at + n + 1, "\"") + 1;
	text = malloc(n + 1);
	to = text;
	for (at++; *at != '"';) {
		if (!*at || (unsigned char)*at < ' ')
			fail("a string that does not end");
		if (*at == '\\') {
			at++;
			to = read_escape(to);
		} else {
			*to++ = *at++;
		}
	}
	at++;
	*to = '\0';
	return text;
}

static void count_key(const char *key)
{
	unsigned int hash = 0;
	struct count **c;

	for (const char *k = key; *k; k++)
		hash = hash * 31 + (unsigned char)*k;
	for (c = &table[hash % 251]; *c; c = &(*c)->next) {
		if (!strcmp((*c)->key, key)) {
			(*c)->n++;
			return;
		}
	}
	*c = calloc(1, sizeof(**c));
	(*c)->key = strdup(key);
	(*c)->n = 1;
	n_key++;
}

static struct value *read_value(void);

static void read_members(struct value *v, char end)
{
	struct value **to = &v->first;

	at++;
	skip_space();
	while (*at != end) {
		char *key = NULL;

		if (v->kind == OBJECT) {
			if (*at != '"')
				fail("no key");
			key = read_text();
			count_key(key);
			skip_space();
			if (*at++ != ':')
				fail("no colon");
		}
		*to = read_value();
		(*to)->key = key;
		to = &(*to)->next;
		skip_space();
		if (*at == ',') {
			at++;
			skip_space();
		} else if (*at != end) {
			fail("no comma");
		}
	}
	at++;
}

static void read_word(struct value *v, const char *word, enum kind kind)
{
	if (strncmp(at, word, strlen(word)))
		fail("no value");
	at += strlen(word);
	v->kind = kind;
}

static double read_number(void)
{
	double sign = 1, n = 0, unit = 1;
	int power = 0, minus = 0;

	if (*at == '-') {
		sign = -1;
		at++;
	}
	if (*at < '0' || *at > '9')
		fail("no number");
	while (*at >= '0' && *at <= '9')
		n = n * 10 + *at++ - '0';
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++)
			n += (*at - '0') * (unit /= 10);
	if (*at == 'e' || *at == 'E') {
		minus = *++at == '-';
		if (*at == '-' || *at == '+')
			at++;
		while (*at >= '0' && *at <= '9' && power < 400)
			power = power * 10 + *at++ - '0';
		while (power--)
			n = minus ? n / 10 : n * 10;
	}
	return sign * n;
}

static struct value *read_value(void)
{
	struct value *v = calloc(1, sizeof(*v));

	skip_space();
	switch (*at) {
	case '{':
		v->kind = OBJECT;
		read_members(v, '}');
		break;
	case '[':
		v->kind = ARRAY;
		read_members(v, ']');
		break;
	case '"':
		v->kind = TEXT;
		v->text = read_text();
		break;
	case 't':
		read_word(v, "true", YES);
		break;
	case 'f':
		read_word(v, "false", NO);
		break;
	case 'n':
		read_word(v, "null", NOTHING);
		break;
	default:
		v->kind = NUMBER;
		v->number = read_number();
	}
	n_kind[v->kind]++;
	return v;
}

static void write_text(const char *text)
{
	putchar_unlocked('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			putchar_unlocked('\\'), putchar_unlocked(c);
		else if (c == '\n')
			putchar_unlocked('\\'), putchar_unlocked('n');
		else if (c < ' ')
			printf("\\u%04x", c);
		else
			putchar_unlocked(c);
	}
	putchar_unlocked('"');
}

static void write_value(const struct value *v)
{
	switch (v->kind) {
	case NUMBER:
		printf("%.12g", v->number);
		break;
	case TEXT:
		write_text(v->text);
		break;
	case ARRAY:
	case OBJECT:
		putchar_unlocked(v->kind == ARRAY ? '[' : '{');
		for (const struct value *m = v->first; m; m = m->next) {
			if (m != v->first)
				putchar_unlocked(',');
			if (m->key) {
				write_text(m->key);
				putchar_unlocked(':');
			}
			write_value(m);
		}
		putchar_unlocked(v->kind == ARRAY ? ']' : '}');
		break;
	default:
		fputs(kind_name[v->kind], stdout);
	}
}

static void free_value(struct value *v)
{
	while (v) {
		struct value *next = v->next;

		free_value(v->first);
		free(v->text);
		free(v->key);
		free(v);
		v = next;
	}
}

int main(void)
{
	size_t n = 0, size = 1 << 16, got;
	char *all = malloc(size + 1);

	while ((got = fread(all + n, 1, size - n, stdin))) {
		n += got;
		if (n == size)
			all = realloc(all, (size *= 2) + 1);
	}
	all[n] = '\0';
	at = all;
	for (skip_space(); *at; skip_space()) {
		struct value *v = read_value();

		write_value(v);
		putchar_unlocked('\n');
		free_value(v);
	}
	for (int k = 0; k < KIND_NR; k++)
		printf("%s %lu\n", kind_name[k], n_kind[k]);
	printf("keys %lu\n", n_key);
	free(all);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * libiberty does the work.  Names of hostile files may stand for texts of any length, as each part
 * of a name can stand for two copies of the part before.  So the text is taken in pieces, and the
 * rest of a text that is too long is never made.
 *
 * Source: Itanium C++ ABI 5.1; Rust RFC 2603 for "_R"; libiberty/demangle.h.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

/* Longer names stay as they are. */
#define NAME_MAX_SIZE	4096
#define TEXT_MAX_SIZE	16384

/**
 * struct text - a name that is being made
 * @s: its first @n characters
 * @enough: where to go on if there are more
 */
struct text {
	char s[TEXT_MAX_SIZE];
	size_t n;
	jmp_buf enough;
};

/* The demanglers take no memory, so they can be left at any time. */
static void take(const char *s, size_t n, void *context)
{
	struct text *text = context;

	if (n >= sizeof(text->s) - text->n)
		longjmp(text->enough, 1);
	memcpy(text->s + text->n, s, n);
	text->n += n;
}

static bool is_rust(const char *name)
{
	return !strncmp(name, "_R", 2) || (!strncmp(name, "_ZN", 3) && strstr(name, "17h"));
}

static bool is_cxx(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_GLOBAL_", 8);
}

static bool make(struct text *text, const char *name)
{
	if (setjmp(text->enough))
		return false;
	if (is_rust(name) && rust_demangle_callback(name, DMGL_NO_OPTS, take, text))
		return true;
	text->n = 0;
	return is_cxx(name) && cplus_demangle_v3_callback(name, DMGL_PARAMS, take, text);
}

char *demangle(const char *name)
{
	struct text text;

	/* most names are of C; they are worth no clearing of the text */
	if ((!is_rust(name) && !is_cxx(name)) || strlen(name) > NAME_MAX_SIZE)
		return NULL;
	text.n = 0;
	return make(&text, name) ? strndup(text.s, text.n) : NULL;
}

/* ---------------------------------------------------------------- short names */

static bool opens(char c)
{
	return c == '(' || c == '<' || c == '{' || c == '[';
}

static bool closes(char c)
{
	return c == ')' || c == '>' || c == '}' || c == ']';
}

/*
 * Cuts off the last list in parentheses and what follows it: "f(int) const".
 * Return: there was one, so it is a function.
 */
static bool cut_parameters(char *s)
{
	char *p = strrchr(s, ')');
	int depth = 0;

	/* data have no such list */
	if (!p || (p[1] && strncmp(p + 1, " const", 6) && strncmp(p + 1, " volatile", 9) &&
		   p[1] != '&' && strncmp(p + 1, " &", 2)))
		return false;
	for (; p > s; p--) {
		if (*p == ')')
			depth++;
		else if (*p == '(' && !--depth)
			break;
	}
	if (p == s)
		return false;
	*p = 0;
	return true;
}

/* The name begins after the last space that is not in brackets: "void f<int>". */
static char *skip_result(char *s)
{
	char *operator = strstr(s, "operator"), *name = s;
	int depth = 0;

	for (char *p = s; *p && p != operator; p++) {
		if (opens(*p))
			depth++;
		else if (closes(*p))
			depth--;
		else if (*p == ' ' && !depth)
			name = p + 1;
	}
	return name;
}

char *demangle_bare(const char *plain)
{
	char *s, *clone, *bare;

	if (!strchr(plain, '('))
		return NULL;
	s = strdup(plain);
	clone = s ? strstr(s, " [clone ") : NULL;
	if (clone)
		*clone = 0;
	bare = s && cut_parameters(s) ? strdup(skip_result(s)) : NULL;
	free(s);
	return bare;
}

bool demangle_is(const char *plain, const char *wanted)
{
	char *bare;
	bool is;

	if (!strcmp(plain, wanted))
		return true;
	/* most names are of other functions */
	if (!strstr(plain, wanted))
		return false;
	bare = demangle_bare(plain);
	is = bare && !strcmp(bare, wanted);
	free(bare);
	return is;
}

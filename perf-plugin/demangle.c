// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C++ run-time library does the work; it is used if it is installed, so that csflow need not be
 * linked with it.
 *
 * Source: Itanium C++ ABI 3.4, "Demangler API".
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

/* Longer names stay as they are. */
#define NAME_MAX_SIZE	4096

static char *(*cxa_demangle)(const char *name, char *buf, size_t *n, int *status);
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_library(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	if (library)
		*(void **)&cxa_demangle = dlsym(library, "__cxa_demangle");
}

static bool opens(char c)
{
	return c == '(' || c == '<' || c == '{' || c == '[';
}

static bool closes(char c)
{
	return c == ')' || c == '>' || c == '}' || c == ']';
}

/*
 * Suffixes that compilers append to names: "f(int) [clone .isra.0]", Rust
 * "core::f::h0123456789abcdef".
 */
static void cut_suffix(char *s)
{
	char *p = strstr(s, " [clone ");
	size_t n;

	if (p)
		*p = 0;
	n = strlen(s);
	if (n > 19 && !strncmp(s + n - 19, "::h", 3) &&
	    strspn(s + n - 16, "0123456789abcdef") == 16)
		s[n - 19] = 0;
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

char *demangle(const char *name)
{
	int status = -1;
	char *s, *plain;

	if (strncmp(name, "_Z", 2) || strlen(name) > NAME_MAX_SIZE)
		return NULL;
	pthread_once(&once, find_library);
	s = cxa_demangle ? cxa_demangle(name, NULL, NULL, &status) : NULL;
	if (!s || status) {
		free(s);
		return NULL;
	}
	cut_suffix(s);
	plain = strdup(cut_parameters(s) ? skip_result(s) : s);
	free(s);
	return plain;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "run-name.h"

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *run_name(const char *path, char *buf, unsigned int n)
{
	const char *slash = strrchr(path, '/'), *s = slash && slash[1] ? slash + 1 : path;
	const int made = !strncmp(s, "jit-", 4) || !strncmp(s, "jitted-", 7);
	unsigned int to = 0;

	while (*s && to + 1 < n) {
		if (!made || !is_digit(*s)) {
			buf[to++] = *s++;
			continue;
		}
		buf[to++] = '#';
		while (is_digit(*s))
			s++;
	}
	buf[to] = 0;
	return buf;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/utf8.h"
#include "key.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	int key;
} names[] = {
	{ "Esc",	KEY_ESC },
	{ "Enter",	KEY_RETURN },
	{ "Up",		KEY_ARROW_UP },
	{ "Down",	KEY_ARROW_DOWN },
	{ "Left",	KEY_ARROW_LEFT },
	{ "Right",	KEY_ARROW_RIGHT },
	{ "PgUp",	KEY_PAGE_UP },
	{ "PgDn",	KEY_PAGE_DOWN },
	{ "Home",	KEY_TOP },
	{ "End",	KEY_BOTTOM },
	{ "Backspace",	KEY_ERASE },
	{ "Del",	KEY_DELETE },
	{ "Tab",	'\t' },
	{ "S-Tab",	KEY_BACK_TAB },
	{ "Space",	' ' },
	{ "^C",		KEY_INTERRUPT },
};

/* The character of @n bytes of UTF-8, which are sound. */
static int character(const unsigned char *s, size_t n)
{
	int c = n == 1 ? s[0] : s[0] & (0x7f >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

int key_named(const char *name, size_t n)
{
	const unsigned char *s = (const unsigned char *)name;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == n && !memcmp(names[i].name, name, n))
			return names[i].key;
	if (n == 2 && name[0] == '^' && name[1] >= '@' && name[1] <= '_')
		return name[1] - '@';
	if (n >= 2 && name[0] == 'F' && name[1] >= '1' && name[1] <= '9') {
		const long f = strtol(name + 1, NULL, 10);

		return f <= 12 ? KEY_F_1 + f - 1 : KEY_NONE;
	}
	return n && (size_t)utf8_size(s) == n ? character(s, n) : KEY_NONE;
}

static int has(const char *keys, int key)
{
	while (*keys) {
		const size_t n = strcspn(keys, " ");

		if (n && key_named(keys, n) == key)
			return 1;
		keys += n + (keys[n] == ' ');
	}
	return 0;
}

int key_action(const struct key_row *table, int key)
{
	for (; table->keys; table++)
		if (key != KEY_NONE && has(table->keys, key))
			return table->action;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* What of the terminal needs none: names of keys, lines that are typed, the cursor of a list. */
#include <stdio.h>
#include <string.h>

#include "../../tools/tui/key.h"
#include "../../tools/tui/list.h"
#include "../../tools/tui/prompt.h"
#include "../lib/kselftest_harness.h"

enum { NEXT = 1, FIND, FIRST_ROW };

static const struct key_row keys[] = {
	{ "",			"a heading" },
	{ "j Down",		"next", NEXT },
	{ "/",			"find", FIND },
	{ "g Home ^A F1",	"first", FIRST_ROW },
	{ }
};

TEST(keys_have_names)
{
	EXPECT_EQ(key_named("Down", 4), KEY_ARROW_DOWN);
	EXPECT_EQ(key_named("Downs", 5), KEY_NONE);
	EXPECT_EQ(key_named("^D", 2), 4);
	EXPECT_EQ(key_named("^", 1), '^');
	EXPECT_EQ(key_named("F1", 2), KEY_F_1);
	EXPECT_EQ(key_named("F12", 3), KEY_F_12);
	EXPECT_EQ(key_named("F13", 3), KEY_NONE);
	EXPECT_EQ(key_named("F", 1), 'F');
	EXPECT_EQ(key_named("ä", 2), 0xe4);
	EXPECT_EQ(key_named("\xc3", 1), KEY_NONE);
	EXPECT_EQ(key_named("", 0), KEY_NONE);
}

TEST(a_table_gives_actions)
{
	EXPECT_EQ(key_action(keys, 'j'), NEXT);
	EXPECT_EQ(key_action(keys, KEY_ARROW_DOWN), NEXT);
	EXPECT_EQ(key_action(keys, '/'), FIND);
	EXPECT_EQ(key_action(keys, 1), FIRST_ROW);
	EXPECT_EQ(key_action(keys, KEY_F_1), FIRST_ROW);
	EXPECT_EQ(key_action(keys, 'D'), 0);
	EXPECT_EQ(key_action(keys, ' '), 0);
	EXPECT_EQ(key_action(keys, KEY_NONE), 0);
}

/* ---------------------------------------------------------------- lines */

/* The line after keys were typed: characters, and some that stand for other keys. */
static const char *typed(const char *text)
{
	static char got[PROMPT_MAX];
	struct prompt_line line = { 0 };

	for (; *text; text++)
		prompt_line_key(&line, *text == '<' ? KEY_ARROW_LEFT :
				*text == '>' ? KEY_ARROW_RIGHT :
				*text == '#' ? KEY_ERASE : *text == '%' ? KEY_DELETE : *text);
	prompt_line_text(&line, got, sizeof(got));
	return got;
}

TEST(a_line_is_edited)
{
	EXPECT_STREQ(typed("main"), "main");
	EXPECT_STREQ(typed("man<i"), "main");
	EXPECT_STREQ(typed("man<<<<i>x"), "imxan");
	EXPECT_STREQ(typed("main>>s"), "mains");
	EXPECT_STREQ(typed("#mainn#"), "main");
	EXPECT_STREQ(typed("mxain<<<<%"), "main");
	EXPECT_STREQ(typed("main%"), "main");
	EXPECT_STREQ(typed("one two\x17" "three"), "one three");
	EXPECT_STREQ(typed("one two \x17\x17y"), "y");
	EXPECT_STREQ(typed("one two<<<\x15"), "two");
	EXPECT_STREQ(typed("one two<<<\x0b"), "one ");
	EXPECT_STREQ(typed("one\x01" "a\x05" "b"), "aoneb");
	EXPECT_STREQ(typed("a\tb"), "ab");
}

TEST(a_line_has_utf8_and_an_end)
{
	struct prompt_line line;
	char text[PROMPT_MAX], small[4];

	prompt_line_set(&line, "aä€𝄞");
	EXPECT_EQ(line.n, 4);
	EXPECT_EQ(line.c[3], 0x1d11e);
	prompt_line_text(&line, text, sizeof(text));
	EXPECT_STREQ(text, "aä€𝄞");
	prompt_line_text(&line, small, sizeof(small));
	EXPECT_STREQ(small, "aä");
	for (int i = 0; i < 2 * PROMPT_MAX; i++)
		prompt_line_key(&line, 'x');
	EXPECT_EQ(line.n, PROMPT_MAX);
	prompt_line_text(&line, text, sizeof(text));
	EXPECT_LT(strlen(text), PROMPT_MAX);
}

/* ---------------------------------------------------------------- lists */

static void limits(void *ctx, int64_t *first, int64_t *last)
{
	const int64_t *l = ctx;

	*first = l[0];
	*last = l[1];
}

static void row_text(void *ctx, int64_t i, char *text, size_t size)
{
	snprintf(text, size, "%s %lld", i % 10 ? "row" : "Ten", (long long)i);
}

static const struct list_rows rows = { .limits = limits, .text = row_text };

TEST(the_cursor_of_a_list_stays_in_it)
{
	int64_t l[] = { -5, 1000000000000 };
	struct list list = { .rows = &rows, .ctx = l, .height = 10 };

	EXPECT_TRUE(list_key(&list, 'k'));
	EXPECT_EQ(list.at, -1);
	EXPECT_EQ(list.top, -1);
	EXPECT_TRUE(list_key(&list, 'G'));
	EXPECT_EQ(list.at, 1000000000000);
	EXPECT_EQ(list.top, 1000000000000 - 9);
	EXPECT_TRUE(list_key(&list, 'j'));
	EXPECT_EQ(list.at, 1000000000000);
	EXPECT_TRUE(list_key(&list, KEY_PAGE_UP));
	EXPECT_EQ(list.at, 1000000000000 - 9);
	EXPECT_TRUE(list_key(&list, KEY_TOP));
	EXPECT_EQ(list.at, -5);
	EXPECT_EQ(list.top, -5);
	EXPECT_TRUE(list_key(&list, ' '));
	EXPECT_EQ(list.at, 4);
	EXPECT_EQ(list.top, 4);
	EXPECT_FALSE(list_key(&list, 'x'));
}

TEST(an_empty_list_has_no_row)
{
	int64_t l[] = { 0, -1 };
	struct list list = { .rows = &rows, .ctx = l, .height = 10 };

	EXPECT_TRUE(list_key(&list, 'j'));
	EXPECT_EQ(list.at, 0);
	EXPECT_EQ(list.top, 0);
	EXPECT_EQ(list_find(&list, "row", 1), LIST_NOT_FOUND);
}

TEST(a_list_is_searched)
{
	int64_t l[] = { 1, 99 };
	struct list list = { .rows = &rows, .ctx = l, .height = 10, .at = 5 };

	EXPECT_EQ(list_find(&list, "ten", 1), LIST_FOUND);
	EXPECT_EQ(list.at, 10);
	EXPECT_EQ(list_find(&list, "Ten", 1), LIST_FOUND);
	EXPECT_EQ(list.at, 20);
	EXPECT_EQ(list_find(&list, "TEN", 1), LIST_NOT_FOUND);
	EXPECT_EQ(list.at, 20);
	EXPECT_EQ(list_find(&list, "row 19", -1), LIST_FOUND);
	EXPECT_EQ(list_find(&list, "row 97", -1), LIST_WRAPPED);
	EXPECT_EQ(list.at, 97);
	EXPECT_EQ(list_find(&list, "row 97", -1), LIST_WRAPPED);
}

TEST_HARNESS_MAIN

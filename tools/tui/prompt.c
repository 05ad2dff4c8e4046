// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "../lib/utf8.h"
#include "prompt.h"
#include "screen.h"

/* ---------------------------------------------------------------- the line */

/* Writes @c as UTF-8.  Return: its bytes. */
static int put(int c, char *s)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (int i = n - 1; i > 0; i--, c >>= 6)
		s[i] = 0x80 | (c & 0x3f);
	s[0] = lead[n] * (n > 1) | c;
	return n;
}

void prompt_line_set(struct prompt_line *line, const char *text)
{
	line->n = 0;
	while (*text && line->n < PROMPT_MAX) {
		const int n = utf8_size((const unsigned char *)text);
		int c = n > 1 ? *text & (0x7f >> n) : (unsigned char)*text;

		for (int i = 1; i < n; i++)
			c = c << 6 | (text[i] & 0x3f);
		line->c[line->n++] = c;
		text += n ? n : 1;
	}
	line->at = line->n;
}

void prompt_line_text(const struct prompt_line *line, char *text, size_t size)
{
	size_t n = 0;

	for (int i = 0; i < line->n; i++) {
		char s[4];
		const int k = put(line->c[i], s);

		if (n + k >= size)
			break;
		memcpy(text + n, s, k);
		n += k;
	}
	text[n] = 0;
}

static void cut(struct prompt_line *line, int from, int to)
{
	memmove(&line->c[from], &line->c[to], (line->n - to) * sizeof(line->c[0]));
	line->n -= to - from;
	line->at = from;
}

static int word_before(const struct prompt_line *line)
{
	int i = line->at;

	while (i && line->c[i - 1] == ' ')
		i--;
	while (i && line->c[i - 1] != ' ')
		i--;
	return i;
}

static void insert(struct prompt_line *line, int c)
{
	if (line->n == PROMPT_MAX || c < ' ' || c >= KEY_NONE)
		return;
	memmove(&line->c[line->at + 1], &line->c[line->at], (line->n - line->at) * sizeof(c));
	line->c[line->at++] = c;
	line->n++;
}

/* Return: -1: @key does not move the cursor. */
static int moved(const struct prompt_line *line, int key)
{
	switch (key) {
	case KEY_ARROW_LEFT:
	case 'B' - '@':
		return line->at ? line->at - 1 : 0;
	case KEY_ARROW_RIGHT:
	case 'F' - '@':
		return line->at < line->n ? line->at + 1 : line->n;
	case KEY_TOP:
	case 'A' - '@':
		return 0;
	case KEY_BOTTOM:
	case 'E' - '@':
		return line->n;
	}
	return -1;
}

void prompt_line_key(struct prompt_line *line, int key)
{
	const int to = moved(line, key);

	if (to >= 0) {
		line->at = to;
		return;
	}
	switch (key) {
	case KEY_ERASE:
		if (line->at)
			cut(line, line->at - 1, line->at);
		break;
	case KEY_DELETE:
		if (line->at < line->n)
			cut(line, line->at, line->at + 1);
		break;
	case 'U' - '@':
		cut(line, 0, line->at);
		break;
	case 'W' - '@':
		cut(line, word_before(line), line->at);
		break;
	case 'K' - '@':
		line->n = line->at;
		break;
	default:
		insert(line, key);
	}
}

/* ---------------------------------------------------------------- the question */

static void show(const struct prompt *prompt, const struct prompt_line *line)
{
	char before[4 * PROMPT_MAX + 1], after[4 * PROMPT_MAX + 1];
	struct prompt_line half = *line;
	struct screen_pen pen = { 0 };
	int rows, cols, cursor, ask = 0;

	screen_size(&rows, &cols);
	pen.row = rows - 1;
	pen.end = cols;
	screen_print(&pen, SCREEN_STRONG, 0, prompt->ask);
	ask = pen.col;
	/* a long line is shown up to the cursor */
	if (half.at > cols - ask - 1 && cols - ask > 1)
		cut(&half, 0, half.at - (cols - ask - 1));
	half.at = line->at - (line->n - half.n);
	half.n = half.at;
	prompt_line_text(&half, before, sizeof(before));
	half = *line;
	cut(&half, 0, line->at);
	prompt_line_text(&half, after, sizeof(after));
	screen_print(&pen, SCREEN_PLAIN, 0, before);
	cursor = pen.col;
	screen_print(&pen, SCREEN_PLAIN, 0, after);
	screen_rest(&pen, SCREEN_PLAIN);
	screen_cursor(rows - 1, cursor);
}

bool prompt_ask(struct prompt *prompt)
{
	struct prompt_line line = { .n = 0 };
	int key = KEY_NONE;

	while (key != KEY_RETURN && key != KEY_ESC && key != KEY_INTERRUPT && key != KEY_LEAVE) {
		show(prompt, &line);
		key = screen_key(-1);
		if (key == KEY_ARROW_UP)
			prompt_line_set(&line, prompt->answer);
		else
			prompt_line_key(&line, key);
	}
	screen_cursor(-1, 0);
	if (key != KEY_RETURN)
		return false;
	if (line.n)
		prompt_line_text(&line, prompt->answer, sizeof(prompt->answer));
	return true;
}

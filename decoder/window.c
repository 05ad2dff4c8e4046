// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <assert.h>

#include "window.h"

/* The number of zeros at the end of the available bytes. */
static size_t zeros_at_end(const struct window *win)
{
	const uint8_t *p = win->end;

	while (p > win->pos && !p[-1])
		p--;
	return win->end - p;
}

/* The number of bytes at the end that may be the head of an A-sync. */
static size_t head_at_end(const struct window *win)
{
	const size_t zeros = zeros_at_end(win);

	return zeros < win->zeros ? zeros : win->zeros;
}

void window_find_cut(struct window *win)
{
	const uint8_t *cut, *safe;

	cut = win->pos + sync_find(win->pos, win->end - win->pos, win->zeros);
	win->cut = cut;
	if (win->flush == WINDOW_SURE && !win->ended && cut == win->end)
		cut -= head_at_end(win);
	safe = cut - win->pos >= CSF_PACKET_MAX ? cut - (CSF_PACKET_MAX - 1) : win->pos;
	win->safe = safe < win->limit ? safe : win->limit;
}

/* The @n bytes at @p are now available, and continue where @win->pos was. */
static void look_at(struct window *win, const uint8_t *p, size_t n)
{
	win->offset = window_offset(win, win->pos);
	win->start = p;
	win->pos = p;
	win->end = p + n;
	win->limit = n >= WINDOW_AHEAD ? win->end - (WINDOW_AHEAD - 1) : p;
	win->next = NULL;
	win->n_next = 0;
}

void window_reset(struct window *win, unsigned int zeros)
{
	win->zeros = zeros;
	win->pos = win->carry;
	win->start = win->carry;
	look_at(win, win->carry, 0);
	win->offset = 0;
	win->ended = false;
	win->flush = WINDOW_KEEP;
	window_find_cut(win);
}

/* The same place in the copy, if it is in the bytes that @from owns. */
static const uint8_t *moved(const struct window *to, const struct window *from, const uint8_t *p)
{
	if (p < from->carry || p > from->carry + sizeof(from->carry))
		return p;
	return to->carry + (p - from->carry);
}

void window_copy(struct window *to, const struct window *from)
{
	*to = *from;
	to->pos = moved(to, from, from->pos);
	to->safe = moved(to, from, from->safe);
	to->cut = moved(to, from, from->cut);
	to->limit = moved(to, from, from->limit);
	to->end = moved(to, from, from->end);
	to->start = moved(to, from, from->start);
}

/* Moves what is left to the start of @carry.  Zeros after it can make it readable. */
static void carry(struct window *win)
{
	size_t n = win->end - win->pos;

	assert(n <= sizeof(win->carry) - CSF_PACKET_MAX);
	memmove(win->carry, win->pos, n);
	look_at(win, win->carry, n);
	if (win->ended || win->flush) {
		memset(win->carry + n, 0, CSF_PACKET_MAX);
		win->limit = win->end;
	}
}

bool window_refill(struct window *win)
{
	const uint8_t *next = win->next;

	if (next) {
		size_t done = win->pos - win->limit;

		look_at(win, next + done, win->n_next - done);
		window_find_cut(win);
		if (win->pos < win->limit)
			return true;
	}

	carry(win);
	window_find_cut(win);
	return win->pos < win->limit;
}

static bool used_up(const struct window *win)
{
	if (win->next || win->pos < win->limit || win->start != win->carry)
		return false;
	return !win->ended || win->pos == win->end;
}

int window_feed(struct window *win, const uint8_t *p, size_t n)
{
	size_t held = win->end - win->pos;
	size_t copy = n < WINDOW_AHEAD ? n : WINDOW_AHEAD;

	if (!used_up(win))
		return CSF_ERR_ARG;
	if (!n)
		return 0;

	win->ended = false;
	win->flush = WINDOW_KEEP;
	if (!held && n >= WINDOW_AHEAD) {
		look_at(win, p, n);
		window_find_cut(win);
		return 0;
	}

	memmove(win->carry, win->pos, held);
	memcpy(win->carry + held, p, copy);
	look_at(win, win->carry, held + copy);
	if (n >= WINDOW_AHEAD) {
		win->limit = win->carry + held;
		win->next = p;
		win->n_next = n;
	}
	window_find_cut(win);
	return 0;
}

void window_end(struct window *win)
{
	win->ended = true;
}

bool window_is_open(const struct window *win)
{
	return win->flush && !win->ended && win->end - win->pos < WINDOW_AHEAD &&
	       win->cut == win->end;
}

bool window_flushes(const struct window *win, int size)
{
	const int left = win->end - win->pos;

	if (zeros_at_end(win) == left)
		return false;
	return win->flush == WINDOW_WHOLE || size <= left - (int)head_at_end(win);
}

size_t window_skip(struct window *win)
{
	bool flushing = win->flush && !win->ended && win->limit == win->end;
	const uint8_t *limit = flushing ? win->end - zeros_at_end(win) : win->limit;
	const uint8_t *to = win->cut < limit ? win->cut : limit;
	size_t n = to > win->pos ? to - win->pos : 0;

	win->pos += n;
	return n;
}

// SPDX-License-Identifier: GPL-2.0-only
/* In place of screen.c where ncurses was not there at the build. */
#include <errno.h>

#include "screen.h"

int screen_begin(enum screen_color color)
{
	return -EOPNOTSUPP;
}

const char *screen_problem(int err)
{
	return "csflow was built without ncurses: install libncurses-dev, then build it again";
}

void screen_end(void)
{
}

int screen_signal(void)
{
	return 0;
}

void screen_size(int *rows, int *cols)
{
	*rows = 24;
	*cols = 80;
}

void screen_draw_with(void (*draw)(void *ctx), void *ctx)
{
}

void screen_draw(void)
{
}

void screen_clear(void)
{
}

void screen_print(struct screen_pen *pen, enum screen_style style, int width, const char *text)
{
}

void screen_printf(struct screen_pen *pen, enum screen_style style, int width,
		   const char *format, ...)
{
}

void screen_rest(struct screen_pen *pen, enum screen_style style)
{
}

void screen_cursor(int row, int col)
{
}

void screen_show(void)
{
}

int screen_key(int wait_ms)
{
	return KEY_LEAVE;
}

bool screen_interrupted(void)
{
	return false;
}

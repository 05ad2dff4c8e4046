// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "screen.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Milliseconds in which the rest of a key that begins with Esc arrives. */
#define ESC_MS		25
/* A wider part of a row is cut. */
#define WIDEST		1024
#define TAB		8

/* There is one terminal. */
static struct {
	SCREEN *curses;
	int err, kept;		/* the real standard error; what stands for it */
	int come;		/* can be read when a signal came */
	atomic_int signal;
	atomic_bool broken;	/* Ctrl-C was typed, and is not reported yet */
	bool utf8, colors;
	void (*draw)(void *ctx);
	void *ctx;
} screen = { .err = -1, .kept = -1, .come = -1 };

static const struct {
	short color;		/* -1: the terminal's */
	attr_t with, without;	/* attributes, with colours and without */
} styles[SCREEN_N_STYLES] = {
	[SCREEN_PLAIN]	= { -1,			A_NORMAL,	A_NORMAL },
	[SCREEN_FAINT]	= { -1,			A_DIM,		A_DIM },
	[SCREEN_STRONG]	= { -1,			A_BOLD,		A_BOLD },
	[SCREEN_NAME]	= { COLOR_CYAN,		A_NORMAL,	A_NORMAL },
	[SCREEN_NUMBER]	= { COLOR_YELLOW,	A_NORMAL,	A_NORMAL },
	[SCREEN_WARM]	= { COLOR_GREEN,	A_NORMAL,	A_NORMAL },
	[SCREEN_HOT]	= { COLOR_RED,		A_NORMAL,	A_BOLD },
	[SCREEN_ALARM]	= { COLOR_RED,		A_BOLD,		A_BOLD },
	[SCREEN_BAR]	= { -1,			A_REVERSE,	A_REVERSE },
};

/* ---------------------------------------------------------------- signals */

static const int held[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
static struct sigaction before[ARRAY_SIZE(held)];

/* Any thread may get it. */
static void note(int signo)
{
	const uint64_t one = 1;
	const int was = errno;

	if (signo == SIGINT)
		screen.broken = true;
	else if (!screen.signal)
		screen.signal = signo;
	if (write(screen.come, &one, sizeof(one)) < 0)
		errno = was;
}

/* SIGHUP stays ignored, for nohup. */
static int hold(void)
{
	const struct sigaction action = { .sa_handler = note };

	screen.signal = 0;
	screen.broken = false;
	screen.come = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (screen.come < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(held); i++) {
		sigaction(held[i], NULL, &before[i]);
		if (held[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
			sigaction(held[i], &action, NULL);
	}
	return 0;
}

static void release(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(held); i++)
		sigaction(held[i], &before[i], NULL);
	close(screen.come);
	screen.come = -1;
}

/* ---------------------------------------------------------------- begin and end */

/* Standard error would spoil the screen, whoever writes to it. */
static void keep_errors(void)
{
	fflush(stderr);
	screen.kept = memfd_create("csflow", MFD_CLOEXEC);
	screen.err = screen.kept < 0 ? -1 : dup(STDERR_FILENO);
	if (screen.err >= 0)
		dup2(screen.kept, STDERR_FILENO);
}

static void give_errors(void)
{
	char text[4096];
	ssize_t n;

	fflush(stderr);
	if (screen.err >= 0) {
		dup2(screen.err, STDERR_FILENO);
		close(screen.err);
		lseek(screen.kept, 0, SEEK_SET);
		while ((n = read(screen.kept, text, sizeof(text))) > 0)
			if (write(STDERR_FILENO, text, n) != n)
				break;
	}
	if (screen.kept >= 0)
		close(screen.kept);
	screen.err = -1;
	screen.kept = -1;
}

static void begin_colors(enum screen_color color)
{
	const char *no = getenv("NO_COLOR");

	screen.colors = has_colors() && color != SCREEN_COLOR_NEVER &&
			(color == SCREEN_COLOR_ALWAYS || !no || !*no);
	if (!screen.colors || start_color() == ERR || use_default_colors() == ERR) {
		screen.colors = false;
		return;
	}
	for (int i = 1; i < SCREEN_N_STYLES; i++)
		init_pair(i, styles[i].color, -1);
}

/* Typed before the terminal was told to send others. */
static void define_arrows(void)
{
	static const struct {
		const char *text;
		int key;
	} arrows[] = {
		{ "\033[A", KEY_UP }, { "\033[B", KEY_DOWN }, { "\033[C", KEY_RIGHT },
		{ "\033[D", KEY_LEFT }, { "\033[H", KEY_HOME }, { "\033[F", KEY_END },
	};

	for (size_t i = 0; i < ARRAY_SIZE(arrows); i++)
		define_key(arrows[i].text, arrows[i].key);
}

int screen_begin(enum screen_color color)
{
	int err;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	screen.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	/* curses takes no signal that has a handler */
	err = hold();
	if (err)
		return err;
	screen.curses = newterm(NULL, stdout, stdin);
	if (!screen.curses) {
		release();
		return -EINVAL;
	}
	keep_errors();
	set_term(screen.curses);
	set_escdelay(ESC_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, true);
	define_arrows();
	nodelay(stdscr, true);
	curs_set(0);
	begin_colors(color);
	return 0;
}

const char *screen_problem(int err)
{
	switch (err) {
	case -ENOTTY:	return "standard input and output must be a terminal";
	case -EINVAL:	return "the type of the terminal is not known: set $TERM";
	}
	return strerror(-err);
}

void screen_end(void)
{
	if (!screen.curses)
		return;
	curs_set(1);
	endwin();
	delscreen(screen.curses);
	screen.curses = NULL;
	screen.draw = NULL;
	release();
	give_errors();
}

int screen_signal(void)
{
	return screen.signal;
}

/* ---------------------------------------------------------------- drawing */

void screen_size(int *rows, int *cols)
{
	getmaxyx(stdscr, *rows, *cols);
}

void screen_draw_with(void (*draw)(void *ctx), void *ctx)
{
	screen.draw = draw;
	screen.ctx = ctx;
}

void screen_draw(void)
{
	if (screen.draw)
		screen.draw(screen.ctx);
}

void screen_clear(void)
{
	erase();
}

static attr_t attributes(int style)
{
	const int i = style & ~SCREEN_HERE;
	attr_t a = screen.colors ? styles[i].with | COLOR_PAIR(i) : styles[i].without;

	return style & SCREEN_HERE ? a ^ A_REVERSE : a;
}

/* The next character of @text, as a terminal may have it.  Return: its bytes. */
static size_t next_char(const char *text, wchar_t *c)
{
	mbstate_t state = { 0 };
	size_t n = 1;

	*c = (unsigned char)*text;
	if (*c >= 0x80 && screen.utf8) {
		n = mbrtowc(c, text, strlen(text), &state);
		if (n == (size_t)-1 || n == (size_t)-2) {
			n = 1;
			*c = '?';
		}
	}
	if ((n == 1 && (*c < ' ' || *c > '~')) || wcwidth(*c) <= 0)
		*c = '?';
	return n;
}

void screen_print(struct screen_pen *pen, enum screen_style style, int width, const char *text)
{
	const int room = pen->end - pen->col, most = width && width < room ? width : room;
	wchar_t line[WIDEST];
	int n = 0, col = 0;

	while (*text && n < WIDEST) {
		wchar_t c = ' ';
		int w = 1;

		if (*text == '\t') {
			text += col % TAB == TAB - 1 || col + 1 >= most;
		} else {
			text += next_char(text, &c);
			w = wcwidth(c);
		}
		if (col + w > most)
			break;
		line[n++] = c;
		col += w;
	}
	while (width && col < most && n < WIDEST) {
		line[n++] = ' ';
		col++;
	}
	if (n) {
		attrset(attributes(style | pen->style));
		mvaddnwstr(pen->row, pen->col, line, n);
	}
	pen->col += col;
}

void screen_printf(struct screen_pen *pen, enum screen_style style, int width,
		   const char *format, ...)
{
	char text[4 * WIDEST];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	screen_print(pen, style, width, text);
}

void screen_rest(struct screen_pen *pen, enum screen_style style)
{
	if (pen->col < pen->end)
		screen_print(pen, style, pen->end - pen->col, "");
}

void screen_cursor(int row, int col)
{
	curs_set(row >= 0);
	if (row >= 0)
		move(row, col);
}

void screen_show(void)
{
	refresh();
}

/* ---------------------------------------------------------------- keys */

static const struct {
	int curses, key;
} keys[] = {
	{ KEY_UP,	KEY_ARROW_UP },
	{ KEY_DOWN,	KEY_ARROW_DOWN },
	{ KEY_LEFT,	KEY_ARROW_LEFT },
	{ KEY_RIGHT,	KEY_ARROW_RIGHT },
	{ KEY_PPAGE,	KEY_PAGE_UP },
	{ KEY_NPAGE,	KEY_PAGE_DOWN },
	{ KEY_HOME,	KEY_TOP },
	{ KEY_END,	KEY_BOTTOM },
	{ KEY_BACKSPACE, KEY_ERASE },
	{ KEY_DC,	KEY_DELETE },
	{ KEY_BTAB,	KEY_BACK_TAB },
	{ KEY_ENTER,	KEY_RETURN },
};

static int function_key(wint_t c)
{
	if (c == KEY_RESIZE) {
		clearok(stdscr, true);
		screen_draw();
		return KEY_SIZE;
	}
	if (c >= KEY_F(1) && c <= KEY_F(12))
		return KEY_F_1 + c - KEY_F(1);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (c == keys[i].curses)
			return keys[i].key;
	return KEY_NONE;
}

static int plain_key(wint_t c)
{
	switch (c) {
	case '\r':
	case '\n':	return KEY_RETURN;
	case 27:	return KEY_ESC;
	case 8:
	case 127:	return KEY_ERASE;
	case 3:		return KEY_INTERRUPT;
	}
	return c;
}

bool screen_interrupted(void)
{
	return atomic_exchange(&screen.broken, false) || screen.signal;
}

int screen_key(int wait_ms)
{
	struct pollfd ready[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = screen.come, .events = POLLIN },
	};
	uint64_t n;
	wint_t c;
	int kind;

	refresh();
	for (;;) {
		if (read(screen.come, &n, sizeof(n)) < 0)
			n = 0;
		if (screen.signal)
			return KEY_LEAVE;
		if (atomic_exchange(&screen.broken, false))
			return KEY_INTERRUPT;
		kind = get_wch(&c);
		if (kind == KEY_CODE_YES)
			return function_key(c);
		if (kind == OK)
			return plain_key(c);
		ready[0].revents = 0;
		if (!poll(ready, 2, wait_ms))
			return KEY_NONE;
		/* The terminal is gone. */
		if (ready[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			return KEY_LEAVE;
	}
}

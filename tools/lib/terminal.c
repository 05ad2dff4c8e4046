// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "terminal.h"
#include "tool.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

const char *const terminal_colours[] = { "auto", "always", "never", NULL };

/* Signals that end the process: the pager must end before it, or both would read the terminal. */
static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM };

/**
 * struct terminal - the process has one
 * @is: standard output was a terminal before the pager had it
 * @pages: the command is one for a pager; @no_pager: the user wants none
 * @pager: its process; 0: none
 * @colours: index in terminal_colours
 * @before: what the signals did
 */
static struct terminal {
	bool is, pages, no_pager, coloured;
	pid_t pager;
	int colours;
	struct sigaction before[ARRAY_SIZE(deadly)];
} terminal;

/* ---------------------------------------------------------------- options */

static bool is(const char *name, size_t n, const char *word)
{
	return n == strlen(word) && !strncmp(name, word, n);
}

bool terminal_is_option(const char *name, size_t n)
{
	return is(name, n, "no-pager") || is(name, n, "color") || is(name, n, "no-color");
}

const char *terminal_option(const char *name, size_t n, const char *value)
{
	if (value && *name == 'n')
		return "it takes no value";
	if (is(name, n, "no-pager")) {
		terminal.no_pager = true;
		return NULL;
	}
	if (is(name, n, "no-color"))
		value = "never";
	for (int i = 0; terminal_colours[i]; i++)
		if (!strcmp(terminal_colours[i], value ? value : "always")) {
			terminal.colours = i;
			return NULL;
		}
	return "not auto, always or never";
}

/* ---------------------------------------------------------------- the pager */

static void end_pager(void)
{
	if (!terminal.pager)
		return;
	/* the pager has everything when its input ends */
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(terminal.pager, NULL, 0) < 0 && errno == EINTR)
		;
	terminal.pager = 0;
}

static void at_exit(void)
{
	if (!terminal.pager)
		return;
	fflush(stdout);
	fflush(stderr);
	end_pager();
}

static void on_signal(int signo)
{
	end_pager();
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (deadly[i] == signo)
			sigaction(signo, &terminal.before[i], NULL);
	raise(signo);
}

/* The user's choice; NULL: none is wanted, or there is none. */
static const char *find_pager(void)
{
	const char *pager = getenv("CSFLOW_PAGER"), *what = "CSFLOW_PAGER";
	char path[4096], word[256];

	if (!pager) {
		pager = getenv("PAGER");
		what = "PAGER";
	}
	if (!pager)
		return tool_find("less", path, sizeof(path)) ? "less" : NULL;
	pager += strspn(pager, " ");
	if (!*pager || !strcmp(pager, "cat"))
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(pager, " "), pager);
	if (strpbrk(word, "/$'\"\\=;|&(") || tool_find(word, path, sizeof(path)))
		return pager;
	log_say(LOG_NOTE, "csflow: %s: there is no program '%s': no pager\n", what, word);
	return NULL;
}

static void __attribute__((noreturn)) run_pager(const char *pager, int input)
{
	/* less: leave if it is one screen, keep colours, and the text */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	dup2(input, STDIN_FILENO);
	execl("/bin/sh", "sh", "-c", pager, NULL);
	_exit(127);
}

static void start_pager(const char *pager)
{
	const struct sigaction act = { .sa_handler = on_signal };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return;
	fflush(NULL);
	terminal.pager = fork();
	if (!terminal.pager)
		run_pager(pager, ends[0]);
	if (terminal.pager > 0) {
		dup2(ends[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(ends[1], STDERR_FILENO);
		for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
			if (!sigaction(deadly[i], NULL, &terminal.before[i]) &&
			    terminal.before[i].sa_handler != SIG_IGN)
				sigaction(deadly[i], &act, NULL);
		atexit(at_exit);
	} else {
		terminal.pager = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

void terminal_pages(void)
{
	terminal.pages = true;
}

void terminal_page(void)
{
	const char *pager = terminal.is && !terminal.no_pager && !terminal.pager ? find_pager() :
										   NULL;

	if (pager)
		start_pager(pager);
}

void terminal_begin(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	terminal.is = isatty(STDOUT_FILENO);
	terminal.coloured = terminal.colours == 1 ||
			    (!terminal.colours && terminal.is && !(no && *no) && term &&
			     strcmp(term, "dumb"));
	if (terminal.pages)
		terminal_page();
}

bool terminal_is(void)
{
	return terminal.is;
}

bool terminal_takes_binary(const char *path)
{
	if (path || !terminal.is)
		return true;
	log_say(LOG_USAGE, "csflow: refusing to write to a terminal: use --output\n");
	return false;
}

/* ---------------------------------------------------------------- colours */

const char *terminal_colour(enum colour colour)
{
	static const char *const bytes[] = {
		[COLOUR_NONE] = "\033[0m", [COLOUR_RED] = "\033[31m", [COLOUR_GREEN] = "\033[32m",
		[COLOUR_YELLOW] = "\033[33m", [COLOUR_BLUE] = "\033[34m",
		[COLOUR_MAGENTA] = "\033[35m", [COLOUR_CYAN] = "\033[36m",
	};

	return terminal.coloured ? bytes[colour] : "";
}

enum colour terminal_share(uint64_t share)
{
	return share >= 500 ? COLOUR_RED : share >= 50 ? COLOUR_GREEN : COLOUR_NONE;
}

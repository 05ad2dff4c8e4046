/* SPDX-License-Identifier: GPL-2.0-only */
/* A question in the last row of the screen, and the line that is typed there. */
#ifndef CSF_PROMPT_H
#define CSF_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#define PROMPT_MAX	256	/* bytes of an answer, with the final 0 */

/**
 * struct prompt - a question that may be asked again
 * @ask: stands before the answer
 * @answer: the last answer; the arrow key up brings it back
 */
struct prompt {
	const char *ask;
	char answer[PROMPT_MAX];
};

/*
 * Return: the user typed Enter; an empty answer leaves @answer as it is.  false: Esc, Ctrl-C, or a
 * signal asks for the end.
 */
bool prompt_ask(struct prompt *prompt);

/* The line that is being typed: for prompt_ask(), and without a terminal. */
struct prompt_line {
	int c[PROMPT_MAX];	/* characters */
	int n, at;
};

void prompt_line_set(struct prompt_line *line, const char *text);
void prompt_line_key(struct prompt_line *line, int key);

/* As UTF-8; what is too long for @size bytes is cut. */
void prompt_line_text(const struct prompt_line *line, char *text, size_t size);

#endif /* CSF_PROMPT_H */

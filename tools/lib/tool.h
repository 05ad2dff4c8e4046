/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of others that a command runs: compilers, perf, readers of profiles. */
#ifndef CSF_TOOL_H
#define CSF_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Where @name is in $PATH: into @path, @n bytes.  Return: it is there. */
bool tool_find(const char *name, char *path, size_t n);

/**
 * tool_find_llvm() - a program of LLVM, of which there may be many versions
 * @version: the one that is wanted, as in clang-19; 0: the newest
 * @min: the oldest that will do
 *
 * One without a number is the last choice, for nobody knows its version.  Return: as tool_find().
 */
bool tool_find_llvm(const char *name, int version, int min, char *path, size_t n);

/**
 * tool_run() - run a program to its end
 * @argv: its path and arguments, ended by NULL
 * @said: what it prints on standard output and standard error; NULL: it shares ours.  Else the
 *        caller closes *@said, and it is NULL if there is none.
 *
 * Return: its exit status; 128 and the signal that ended it; -errno.
 */
int tool_run(const char *const *argv, FILE **said);

/* A word as a shell reads it. */
void tool_print_word(FILE *f, const char *word);

#endif /* CSF_TOOL_H */

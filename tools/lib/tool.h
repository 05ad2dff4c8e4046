/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that a command runs: compilers, perf, readers of profiles. */
#ifndef CSF_TOOL_H
#define CSF_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Finds @name in $PATH and writes its path to @path, @n bytes.  Return: it was found. */
bool tool_find(const char *name, char *path, size_t n);

/*
 * Finds @name, a file of csflow itself: beside the command, as it is built, or in ../lib/csflow, as
 * it is installed.  Return: it was found.
 */
bool tool_beside(const char *name, char *path, size_t n);

/**
 * tool_find_llvm() - find a program of LLVM, of which there may be many versions
 * @version: the version that is wanted, as in clang-19; 0: the newest
 * @min: the oldest usable version
 *
 * A program without a number is the last choice, because its version is unknown.
 *
 * Return: as tool_find().
 */
bool tool_find_llvm(const char *name, int version, int min, char *path, size_t n);

/**
 * tool_run() - run a program to its end
 * @argv: its path and arguments, ended by NULL
 * @said: what the program prints on standard output and standard error; NULL: it shares ours.  The
 *        caller closes *@said; it is NULL if nothing can be read.
 *
 * Return: its exit status; 128 plus the signal that ended it; -errno.
 */
int tool_run(const char *const *argv, FILE **said);

/* Prints a word, quoted for a shell. */
void tool_print_word(FILE *f, const char *word);

#endif /* CSF_TOOL_H */

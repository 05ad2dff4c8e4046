/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of C++ functions as people write them. */
#ifndef PERF_DEMANGLE_H
#define PERF_DEMANGLE_H

/*
 * "foo::bar" for "_ZN3foo3barEi": without parameters and result, as perf has it.
 *
 * Return: the name, for the caller to free; NULL if @name is none of C++, or nothing here can tell.
 */
char *demangle(const char *name);

#endif /* PERF_DEMANGLE_H */

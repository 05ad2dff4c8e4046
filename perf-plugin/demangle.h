/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of C++ functions as in source code. */
#ifndef PERF_DEMANGLE_H
#define PERF_DEMANGLE_H

/*
 * "foo::bar" for "_ZN3foo3barEi": without parameters and result, as perf prints it.
 *
 * Return: the name, which the caller frees; NULL if @name is no C++ name, or cannot be demangled
 * here.
 */
char *demangle(const char *name);

#endif /* PERF_DEMANGLE_H */

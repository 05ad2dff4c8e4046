/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of C++ and Rust functions as in source code. */
#ifndef PERF_DEMANGLE_H
#define PERF_DEMANGLE_H

#include <stdbool.h>

/*
 * "foo::bar(int)" for "_ZN3foo3barEi", "core::fmt::write" for "_RNvNtCs1_4core3fmt5write" and
 * "_ZN4core3fmt5write17h0123456789abcdefE": C++ with parameters, as perf prints it since it is
 * linked with the C++ library; Rust without hashes.
 *
 * Return: the name, which the caller frees; NULL if @name is no such name, or the result would be
 * longer than 16 KiB, or there is no memory.
 */
char *demangle(const char *name);

/*
 * "f<int>" for "void f<int>(int) [clone .cold]": @plain, a name that demangle() returned, without
 * result, parameters and suffixes.
 *
 * Return: the name, which the caller frees; NULL if it has no parameters, or there is no memory.
 */
char *demangle_bare(const char *plain);

/*
 * Does @plain, a name that demangle() returned, have the name @wanted: as a whole, or without
 * parameters, result and suffixes?
 */
bool demangle_is(const char *plain, const char *wanted);

#endif /* PERF_DEMANGLE_H */

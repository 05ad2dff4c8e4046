/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files that are the same in another run of a program. */
#ifndef CSF_RUN_NAME_H
#define CSF_RUN_NAME_H

/*
 * The name of a file without its directory; for code that was made at run time, also without the
 * number of the process: "jit-#.dump".  Return: @buf, of @n bytes, truncated if necessary.
 */
const char *run_name(const char *path, char *buf, unsigned int n);

#endif /* CSF_RUN_NAME_H */

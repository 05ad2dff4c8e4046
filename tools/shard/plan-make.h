/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a plan of a list of inputs. */
#ifndef CSF_SHARD_PLAN_MAKE_H
#define CSF_SHARD_PLAN_MAKE_H

#include "plan.h"

/**
 * plan_make() - look at the inputs, and divide them into parts
 * @plan: has its options, and nothing else
 * @list: a text, a path on each line; NULL: standard input
 * @n: the number of parts; there are fewer if there are fewer pieces
 *
 * Parts are balanced by bytes: the largest piece first, each to the part that has least.  A
 * recording that is larger than a part, and has an index, is cut at times at which each piece has
 * equally many bytes.  Reports errors, and each input that cannot be read.
 *
 * Return: CMD_OK or CMD_FAILED.
 */
int plan_make(struct plan *plan, const char *list, size_t n);

/* Is @input still what the plan says?  Otherwise reports it.  Return: likewise. */
int plan_check_input(const struct plan_input *input);

#endif /* CSF_SHARD_PLAN_MAKE_H */

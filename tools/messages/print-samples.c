// SPDX-License-Identifier: GPL-2.0-only
/* A table of the functions that samples of the program counter hit.  @state: struct samples. */
#include "print.h"
#include "samples.h"

static int put_row(struct print *p, const struct row *row)
{
	return samples_add(p->state, row);
}

const struct print_format print_samples = { .row = put_row };

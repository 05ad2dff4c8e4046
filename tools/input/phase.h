/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The phase of frames that come without any sync, as a serial wire has them: at which of 16 bytes
 * they begin, and where that changes because bytes were lost.
 */
#ifndef CSF_PHASE_H
#define CSF_PHASE_H

#include "input.h"

/**
 * phase_find() - find the frames
 * @in: @data, @n, and @source: the trace units, as far as they are known, with their trace IDs.
 *      What they wrote must make sense; so must IDs, and padding
 * @cut: gets the bytes that are in no frame, for @in->cut; free() it
 *
 * Return: 0, or a negative enum csf_error.
 */
int phase_find(const struct input *in, struct input_cut **cut, size_t *n_cut);

#endif /* CSF_PHASE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log of execution as a recording, for commands that read recordings: the trace that a unit would
 * have sent, and the code that the log has.
 */
#ifndef CSF_ENCODE_RECORDING_H
#define CSF_ENCODE_RECORDING_H

#include "../input/recording.h"

/* For recording_take_logs(): Tarmac logs and truth logs. */
extern const struct recording_log encode_recording;

#endif /* CSF_ENCODE_RECORDING_H */

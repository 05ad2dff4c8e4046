/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_READER_H
#define SHIM_READER_H

#include "compat.h"

/* perf's own, and what its commands call in its place: the linker sees to that (--wrap). */
int __real_perf_session__process_events(struct perf_session *session);
int __wrap_perf_session__process_events(struct perf_session *session);

#endif /* SHIM_READER_H */

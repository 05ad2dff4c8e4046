/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_READER_H
#define SHIM_READER_H

#include "compat.h"

/* perf's own, and what its commands call in its place: the linker sees to that (--wrap). */
int __real_perf_session__process_events(struct perf_session *session);
int __wrap_perf_session__process_events(struct perf_session *session);

/* What perf's header.c and session.c call in place of perf's own: build-perf.sh sees to that. */
int csflow_read_index(int fd, u64 size, struct perf_session *session, bool needs_swap);
#if SHIM_HAS_REPIPE
int csflow_read_header(struct perf_session *session, int repipe);
#else
int csflow_read_header(struct perf_session *session);
#endif

#endif /* SHIM_READER_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_READER_H
#define SHIM_READER_H

#include "compat.h"

/*
 * build-perf.sh provides for these names.  perf's own perf_session__process_events() is renamed to
 * this one.
 */
int csflow_process_events(struct perf_session *session);

/* perf's header.c and session.c call these in place of perf's own. */
int csflow_read_index(int fd, u64 size, struct perf_session *session, bool needs_swap);
#if SHIM_HAS_REPIPE
int csflow_read_header(struct perf_session *session, int repipe);
#else
int csflow_read_header(struct perf_session *session);
#endif

/* data-convert-json.c calls this in place of symbol__init(), before it writes anything. */
int csflow_json_init(struct perf_env *env);

#endif /* SHIM_READER_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guests of a kernel that runs at EL2, where thread IDs come from CONTEXTIDR_EL2: code at EL1
 * belongs to a guest's kernel, in the thread that runs the guest.  At EL0 there are processes of
 * both, and trace does not distinguish them: it is the guest's after EL1 has led there, and after a
 * process of the guest was interrupted and continues at the same address.  Where trace begins at
 * EL0, it counts as the host's.
 */
#include "queue-parts.h"

bool stream_enters_guest(const struct perf_queues *q, const struct perf_stream *stream,
			 const struct csf_run *run, uint32_t tid)
{
	const struct perf_left *left = &q->left[tid % PERF_LEFT];

	if (stream->unit->pid != PERF_CS_PID_VMID || run->to.el > 1)
		return false;
	if (run->to.el == 1)
		return true;
	if (!stream->apart && stream->context.known && stream->context.el < 2)
		return stream->guest && tid == stream->tid;
	return run->addr && left->addr == run->addr && left->tid == tid;
}

/* After other gaps only code is missing, not contexts. */
static bool loses_context(const struct csf_run *run)
{
	if (run->end != CSF_END_GAP)
		return run->end == CSF_END_TRACE;
	switch ((enum csf_gap)run->value) {
	case CSF_GAP_IMAGE:
	case CSF_GAP_ADDRESS:
	case CSF_GAP_STACK:
	case CSF_GAP_WALK:
		return false;
	default:
		return true;
	}
}

void stream_leaves_guest(struct perf_queues *q, struct perf_stream *stream,
			 const struct csf_run *run)
{
	stream->apart |= loses_context(run);
	if (run->end == CSF_END_EXCEPTION && stream->guest && !stream->context.el &&
	    !(run->flags & CSF_EXC_NO_ADDR))
		q->left[stream->tid % PERF_LEFT] = (struct perf_left){ run->addr, stream->tid };
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For those who look for a fault in the library: what only makes decoding faster is made of layers,
 * and a decoder can do without each of them.  The results are the same.  If they are not, the fault
 * is in that layer.
 */
#ifndef CSFLOW_DEBUG_H
#define CSFLOW_DEBUG_H

/* csf_config.without */
#define CSF_WITHOUT_FAST	0x001	/* atoms and addresses straight from the bytes */
#define CSF_WITHOUT_SPECULATION	0x002	/* likewise, with speculation */
#define CSF_WITHOUT_PATHS	0x004	/* many steps are found as one; csf_ask_paths() */
#define CSF_WITHOUT_ADDRESSES	0x008	/* what is at an address is remembered */
#define CSF_WITHOUT_LINKS	0x010	/* which block follows is remembered, for all of an image */
#define CSF_WITHOUT_THREADS	0x020	/* csf_set_threads() */
#define CSF_WITHOUT_AHEAD	0x040	/* csf_feed_ahead(), csf_frames_ahead() */
#define CSF_WITHOUT_FRAMES	0x080	/* many frames at once: a flag of csf_frames_new() */
#define CSF_WITHOUT_PREFETCH	0x100	/* addresses read ahead, where there are many blocks */
#define CSF_WITHOUT_ALL		0x1ff

#endif /* CSFLOW_DEBUG_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * To find a fault in the library: the parts that only make decoding faster are layers, and a
 * decoder can do without each of them.  The results stay the same.  If they differ, the fault is in
 * that layer.
 */
#ifndef CSFLOW_DEBUG_H
#define CSFLOW_DEBUG_H

/* csf_config.without */
#define CSF_WITHOUT_FAST	0x001	/* atoms and addresses are read straight from the bytes */
#define CSF_WITHOUT_SPECULATION	0x002	/* the same, with speculation */
#define CSF_WITHOUT_PATHS	0x004	/* many steps are found as one; csf_ask_paths() */
#define CSF_WITHOUT_ADDRESSES	0x008	/* the block at an address is remembered */
#define CSF_WITHOUT_LINKS	0x010	/* the next block is remembered, for the whole image */
#define CSF_WITHOUT_THREADS	0x020	/* csf_set_threads() */
#define CSF_WITHOUT_AHEAD	0x040	/* csf_feed_ahead(), csf_frames_ahead() */
#define CSF_WITHOUT_FRAMES	0x080	/* many frames at once: a flag of csf_frames_new() */
#define CSF_WITHOUT_PREFETCH	0x100	/* addresses are read ahead, where there are many blocks */
#define CSF_WITHOUT_ALL		0x1ff

#endif /* CSFLOW_DEBUG_H */

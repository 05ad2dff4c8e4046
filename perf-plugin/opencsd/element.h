/* SPDX-License-Identifier: GPL-2.0-only */
/* Elements as OpenCSD hands them out, and prints them. */
#ifndef OPENCSD_ELEMENT_H
#define OPENCSD_ELEMENT_H

#include "../../decoder/csflow.h"
#include "../out.h"
#include "abi.h"
#include "element-release.h"

/**
 * struct ocsd_sticky - what elements of one trace ID keep
 * @context: of the last PE_CONTEXT; VMID and context ID stay once given
 */
struct ocsd_sticky {
	struct abi_context context;
};

/* ABI_SPACE_x, one bit, in which a processor in this state fetches. */
uint32_t ocsd_space_bit(const struct csf_context *context);

/* @e as clients get it. */
void ocsd_element_make(struct abi_element *out, struct ocsd_sticky *sticky,
		       const struct csf_config *config, const struct csf_element *e);

/* An element without sync: NO_SYNC or EO_TRACE, by @type. */
void ocsd_element_unsync(struct abi_element *out, enum csf_element_type type,
			 enum abi_unsync reason);

/* "OCSD_GEN_TRC_ELEM_NAME(details)" as @release has it; less than OCSD_LINE_MAX. */
void ocsd_element_text(struct out *o, const struct abi_element *e,
		       const struct ocsd_release *release);

#endif /* OPENCSD_ELEMENT_H */

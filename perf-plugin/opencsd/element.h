/* SPDX-License-Identifier: GPL-2.0-only */
/* Elements as OpenCSD passes them to clients, and prints them. */
#ifndef OPENCSD_ELEMENT_H
#define OPENCSD_ELEMENT_H

#include "../../decoder/csflow.h"
#include "../out.h"
#include "abi.h"
#include "element-release.h"

/**
 * struct ocsd_sticky - state that elements of one trace ID keep
 * @context: that of the last PE_CONTEXT; VMID and context ID stay once they were given
 */
struct ocsd_sticky {
	struct abi_context context;
};

/* The memory space, one bit of ABI_SPACE_x, from which a processor in this state fetches. */
uint32_t ocsd_space_bit(const struct csf_context *context);

/* Makes the structure that clients get of @e. */
void ocsd_element_make(struct abi_element *out, struct ocsd_sticky *sticky,
		       const struct csf_config *config, const struct csf_element *e);

/* Makes an element without sync: NO_SYNC or EO_TRACE, by @type. */
void ocsd_element_unsync(struct abi_element *out, enum csf_element_type type,
			 enum abi_unsync reason);

/* Writes "OCSD_GEN_TRC_ELEM_NAME(details)" as in @release; less than OCSD_LINE_MAX. */
void ocsd_element_text(struct out *o, const struct abi_element *e,
		       const struct ocsd_release *release);

#endif /* OPENCSD_ELEMENT_H */

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Configuration: the caller's register values, checked once and taken apart. */
#ifndef CSF_CONFIG_H
#define CSF_CONFIG_H

#include "bytes.h"
#include "csflow.h"
#include "csflow-debug.h"
#include "etm4/config.h"

#define MANY_BLOCKS	32768u	/* config.many, but for tests */

/**
 * struct config - what the registers say, by meaning
 * @max_spec: P0 elements that may be uncommitted; 0: the trace unit does not speculate
 * @protocol: CSF_PROTOCOL_ETM4 or CSF_PROTOCOL_ETE
 * @profile: enum csf_profile
 * @rule: CSF_RULE_x: which instructions take an atom
 * @retstack: the return stack is in use
 * @bb: branches are broadcast, maybe of some addresses alone
 * @tsmark: timestamps have markers
 * @traces_eret: exception returns have packets of their own
 * @marks: kinds of marks wanted
 * @run_max: most steps in a run
 * @without: CSF_WITHOUT_x
 * @many: from so many blocks of the image on, what is known of them is in no near cache
 * @ask_code: csf_ask_code()
 * @paths: csf_ask_paths()
 * @etm4: of ETMv4 and ETE
 */
struct config {
	uint32_t max_spec;
	uint8_t protocol;
	uint8_t profile;
	uint8_t rule;
	bool retstack;
	bool bb;
	bool tsmark;
	bool traces_eret;
	uint32_t marks;
	uint32_t run_max;
	uint32_t without;
	uint32_t many;
	bool ask_code;
	bool paths;
	struct etm4_config etm4;
};

/* Takes apart the caller's configuration, whatever its age.  Return: 0 or CSF_ERR_CONFIG. */
int config_read(struct config *own, const struct csf_config *config);

#endif /* CSF_CONFIG_H */

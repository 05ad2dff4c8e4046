/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Configuration: the caller's register values, checked once and decoded. */
#ifndef CSF_CONFIG_H
#define CSF_CONFIG_H

#include "bytes.h"
#include "classic/config.h"
#include "csflow.h"
#include "csflow-debug.h"
#include "etm3/config.h"
#include "etm4/config.h"
#include "itm/config.h"

#define MANY_BLOCKS	32768u	/* config.many, except in tests */

/**
 * struct config - the meaning of the registers
 * @max_spec: maximum number of uncommitted P0 elements; 0: the trace unit does not speculate
 * @protocol: enum csf_protocol
 * @version: as csf_config_version() returns it
 * @profile: enum csf_profile
 * @rule: CSF_RULE_x: which instructions take an atom
 * @retstack: the return stack is in use
 * @bb: branches are broadcast, perhaps only in some address ranges
 * @tsmark: timestamps have markers
 * @traces_eret: exception returns have packets of their own
 * @checks: an address or an N atom that contradicts the code is a gap
 * @data: as csf_config_data() returns it
 * @marks: kinds of marks to report
 * @run_max: most steps in a run
 * @without: CSF_WITHOUT_x
 * @many: number of blocks of the image from which on what is known of them no longer fits a near
 *        cache
 * @stp_order: enum csf_stp_order
 * @ask_code: csf_ask_code()
 * @paths: csf_ask_paths()
 * @etm4: of ETMv4 and ETE; and so on; @classic: of ETMv3 and PTM
 */
struct config {
	uint32_t max_spec;
	uint8_t protocol;
	uint8_t version;
	uint8_t profile;
	uint8_t rule;
	bool retstack;
	bool bb;
	bool tsmark;
	bool traces_eret;
	bool checks;
	uint8_t data;
	uint32_t marks;
	uint32_t run_max;
	uint32_t without;
	uint32_t many;
	uint8_t stp_order;
	bool ask_code;
	bool paths;
	struct etm4_config etm4;
	struct itm_config itm;
	struct classic_config classic;
	struct etm3_config etm3;
};

/* Decodes the caller's configuration, of whatever version.  Return: 0 or CSF_ERR_CONFIG. */
int config_read(struct config *own, const struct csf_config *config);

#endif /* CSF_CONFIG_H */

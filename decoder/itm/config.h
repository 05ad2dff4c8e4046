/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CSF_ITM_CONFIG_H
#define CSF_ITM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct itm_config - part of struct config
 * @prescale: a unit of a local timestamp is 1 << this ticks
 * @no_times: local timestamps are off
 */
struct itm_config {
	uint8_t prescale;
	bool no_times;
};

#endif /* CSF_ITM_CONFIG_H */

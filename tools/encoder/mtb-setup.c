// SPDX-License-Identifier: GPL-2.0-only
/* An MTB has no registers that a decoder needs. */
#include "encode-setup.h"

int mtb_setup(struct word *w)
{
	w->setup->config = (struct csf_config){
		.size = sizeof(struct csf_config), .protocol = CSF_PROTOCOL_MTB,
		.profile = CSF_PROFILE_M,
	};
	w->setup->sync = 0;
	return 0;
}

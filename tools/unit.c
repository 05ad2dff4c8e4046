// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

const char *const unit_protocols[] = { "etmv4", "ete", NULL };
const char *const unit_profiles[] = { "a", "r", "m", NULL };

bool unit_complete(struct unit *u)
{
	u->config.size = sizeof(u->config);
	u->config.profile = u->profile;
	if (!u->protocol && !u->config.trcidr1)
		u->config.trcidr1 = 0x4100f403;
	if (u->protocol && !u->config.trcdevarch)
		u->config.trcdevarch = 0x47705a13;
	return csf_config_version(&u->config) > 0;
}

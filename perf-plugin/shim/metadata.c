// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include <util/cs-etm.h>

#include "metadata.h"

int csflow_metadata(const union perf_event *info)
{
	return info->header.size < sizeof(info->auxtrace_info) + 24 ? -EINVAL : 0;
}

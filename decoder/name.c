// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What numbers of csflow.h are called. */
#include "csflow.h"

CSF_API const char *csf_protocol_name(enum csf_protocol protocol)
{
	static const char *const names[CSF_PROTOCOL_NR] = {
		[CSF_PROTOCOL_TOLD] = "unknown", [CSF_PROTOCOL_ETM4] = "ETMv4",
		[CSF_PROTOCOL_ETE] = "ETE", [CSF_PROTOCOL_ETM3] = "ETMv3",
		[CSF_PROTOCOL_PTM] = "PTM", [CSF_PROTOCOL_ITM] = "ITM", [CSF_PROTOCOL_STM] = "STM",
	};

	return (unsigned int)protocol < CSF_PROTOCOL_NR ? names[protocol] : names[0];
}

CSF_API const char *csf_strerror(int err)
{
	switch ((enum csf_error)err) {
	case CSF_ERR_ARG:	return "invalid call";
	case CSF_ERR_CONFIG:	return "unknown trace configuration";
	case CSF_ERR_MEMORY:	return "out of memory";
	}
	return err < 0 ? "unknown error" : "success";
}

CSF_API const char *csf_gap_name(enum csf_gap gap)
{
	static const char *const name[CSF_GAP_NR] = {
		[CSF_GAP_START] = "start",
		[CSF_GAP_OFF] = "off",
		[CSF_GAP_OVERFLOW] = "overflow",
		[CSF_GAP_DISCARD] = "discard",
		[CSF_GAP_PACKET] = "packet",
		[CSF_GAP_CUT] = "cut",
		[CSF_GAP_IMAGE] = "image",
		[CSF_GAP_ADDRESS] = "address",
		[CSF_GAP_STACK] = "stack",
		[CSF_GAP_WALK] = "walk",
		[CSF_GAP_SPECULATION] = "speculation",
		[CSF_GAP_BREAK] = "break",
	};

	return gap < CSF_GAP_NR ? name[gap] : "unknown";
}

#define STR_(x)	#x
#define STR(x)	STR_(x)

CSF_API const char *csf_version(void)
{
	return STR(CSF_VERSION_MAJOR) "." STR(CSF_VERSION_MINOR);
}

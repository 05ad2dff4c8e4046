// SPDX-License-Identifier: GPL-2.0-only
/* Names of C++ functions, as perf 6.1 printed them. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/demangle.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const mangled[][2] = {
	{ "_ZN3foo3barEi", "foo::bar" },
	{ "_Z1fIiEvT_", "f<int>" },
	{ "_ZN1AplERKS_", "A::operator+" },
	{ "_ZNK1A3getEv", "A::get" },
	{ "_ZN1AnwEm", "A::operator new" },
	{ "_ZN1AclEi", "A::operator()" },
	{ "_ZNK1AcviEv", "A::operator int" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back" },
	{ "_ZZ3foovENKUliE_clEi", "foo()::{lambda(int)#1}::operator()" },
	{ "_ZN12_GLOBAL__N_11xEv", "(anonymous namespace)::x" },
	{ "_ZTV1A", "vtable for A" },
	{ "_Z3foov.isra.0", "foo" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_Znope", NULL },
	{ "main", NULL },
	{ "_Z", NULL },
	{ "", NULL },
};

TEST(names)
{
	if (!dlopen("libstdc++.so.6", RTLD_LAZY))
		SKIP(return, "no libstdc++");
	for (size_t i = 0; i < ARRAY_SIZE(mangled); i++) {
		char *plain = demangle(mangled[i][0]);

		EXPECT_STREQ(mangled[i][1] ? mangled[i][1] : "none", plain ? plain : "none");
		free(plain);
	}
}

TEST_HARNESS_MAIN

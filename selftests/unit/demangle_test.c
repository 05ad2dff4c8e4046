// SPDX-License-Identifier: GPL-2.0-only
/* Names of C++ functions as perf 6.12 prints them, and of Rust functions without hashes. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/demangle.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const cxx[][2] = {
	{ "_ZN3foo3barEi", "foo::bar(int)" },
	{ "_Z1fIiEvT_", "void f<int>(int)" },
	{ "_ZN1AplERKS_", "A::operator+(A const&)" },
	{ "_ZNK1A3getEv", "A::get() const" },
	{ "_ZN1AnwEm", "A::operator new(unsigned long)" },
	{ "_ZNK1AcviEv", "A::operator int() const" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
	{ "_ZZ3foovENKUliE_clEi", "foo()::{lambda(int)#1}::operator()(int) const" },
	{ "_ZN12_GLOBAL__N_11xEv", "(anonymous namespace)::x()" },
	{ "_ZTV1A", "vtable for A" },
	{ "_Z3foov.isra.0", "foo() [clone .isra.0]" },
	{ "_GLOBAL__I_foo", "global constructors keyed to foo" },
	{ "_Znope", NULL },
	/* the C++ library takes the names of these C functions as types: float, and int */
	{ "f", NULL },
	{ "i", NULL },
	{ "main", NULL },
	{ "_Z", NULL },
	{ "", NULL },
};

/* RFC 2603, and the older names, which look like C++. */
static const char *const rust[][2] = {
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.42", "core::fmt::Formatter::pad" },
	{ "_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
	  "<&T as core::fmt::Debug>::fmt" },
	{ "_RNvNtCs1234_4core3fmt5write", "core::fmt::write" },
	{ "_RNvNtCs1234_4core3fmt5write.llvm.42", "core::fmt::write" },
	{ "_RINvNtC3std3mem8align_ofdEC3foo", "std::mem::align_of::<f64>" },
	{ "_RNCNvC3foo4main0", "foo::main::{closure#0}" },
	{ "_Rnope", NULL },
	{ "_R", NULL },
};

static void expect(struct __test_metadata *_metadata, const char *const pair[][2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *plain = demangle(pair[i][0]);

		EXPECT_STREQ(pair[i][1] ? pair[i][1] : "none", plain ? plain : "none");
		free(plain);
	}
}

TEST(cxx_names)
{
	expect(_metadata, cxx, ARRAY_SIZE(cxx));
}

TEST(rust_names)
{
	expect(_metadata, rust, ARRAY_SIZE(rust));
}

/* Parameters of type P<int, int>, then each a P of two of the one before: @n in all. */
static void pairs(char *name, int n)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	name += sprintf(name, "_Z1f1PIiiE");
	for (int i = 0; i < n - 1; i++)
		name += sprintf(name, "S_IS%c_S%c_E", digit[i], digit[i]);
}

/* Thirty of them are a text of 10 GB. */
TEST(name_that_explodes)
{
	char name[600], *plain;

	pairs(name, 3);
	plain = demangle(name);
	EXPECT_STREQ("f(P<int, int>, P<P<int, int>, P<int, int> >, "
		     "P<P<P<int, int>, P<int, int> >, P<P<int, int>, P<int, int> > >)", plain);
	free(plain);
	pairs(name, 30);
	plain = demangle(name);
	EXPECT_EQ(NULL, plain);
	free(plain);
}

TEST(too_long)
{
	char name[5000] = "_Z4500", *plain;

	memset(name + 6, 'a', 4500);
	strcpy(name + 6 + 4500, "v");
	plain = demangle(name);
	EXPECT_EQ(NULL, plain);
	free(plain);
}

TEST(short_names)
{
	EXPECT_TRUE(demangle_is("foo::bar(int)", "foo::bar(int)"));
	EXPECT_TRUE(demangle_is("foo::bar(int)", "foo::bar"));
	EXPECT_TRUE(demangle_is("void f<int>(int)", "f<int>"));
	EXPECT_TRUE(demangle_is("foo() [clone .isra.0]", "foo"));
	EXPECT_TRUE(demangle_is("A::operator int() const", "A::operator int"));
	EXPECT_TRUE(demangle_is("foo()::{lambda(int)#1}::operator()(int) const",
				"foo()::{lambda(int)#1}::operator()"));
	EXPECT_FALSE(demangle_is("foo::bar(int)", "bar"));
	EXPECT_FALSE(demangle_is("foo::bar(int)", "foo::ba"));
	EXPECT_FALSE(demangle_is("main", "mai"));
}

TEST_HARNESS_MAIN

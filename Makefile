# SPDX-License-Identifier: GPL-2.0-only
#
# make                libcsflow and csflow              make check       every test, 15 minutes
# make O=dir          build elsewhere                   make check-core  unit tests and cases only
# make V=1            show the commands                 make help        the rest
# make CC=clang       another compiler; changing it, or flags, builds anew what it concerns
# make KSRC=dir       a kernel source tree in place of Debian's linux-source-6.12
# make perf           perf with csflow inside: build/perf

# ARCH=arm64, elsewhere: in a folder of its own, with Debian's libraries, which are fetched once.
cross	:= $(if $(filter arm64,$(ARCH)),$(filter-out aarch64 arm64,$(shell uname -m)))
O	?= build$(if $(cross),/arm64)
comma	:= ,
Q	:= $(if $(V),,@)

# CROSS_COMPILE=aarch64-linux-gnu- builds for another machine; SYSROOT=dir: with the libraries below dir.
ifneq ($(cross),)
CROSS_COMPILE ?= aarch64-linux-gnu-
ifndef SYSROOT
SYSROOT	:= $(shell selftests/programs/arm64-root.sh '$(O)' libraries)
$(if $(SYSROOT),,$(error csflow: no libraries for arm64; SYSROOT=dir names a folder that has them))
export SYSROOT
endif
endif
ifeq ($(origin CC),default)
CC	:= $(CROSS_COMPILE)gcc
endif
ifeq ($(origin CXX),default)
CXX	:= $(CROSS_COMPILE)g++
endif
ifeq ($(origin AR),default)
AR	:= $(CROSS_COMPILE)ar
endif
OBJCOPY	?= $(CROSS_COMPILE)objcopy

# ---------------------------------------------------------------- flags

# VARIANT: empty: optimised.  check: sanitizers and asserts.  clang: optimised, to see that it builds.
# fuzz: clang with libFuzzer.  cov: counts lines.  plain: only asserts.  tsan: the sanitizer for threads, and only
# threads_test.  Each lives in a directory of its own.
VARIANT	?=
B	:= $(if $(VARIANT),$(O)/$(VARIANT),$(O))

CFLAGS	?= -O2 -g
flags	:= -std=gnu11 -Wall -Wextra -Wshadow -Wno-missing-field-initializers \
	   -Wno-unused-parameter -Wno-sign-compare -fPIC -fvisibility=hidden -pthread \
	   $(if $(SYSROOT),--sysroot=$(SYSROOT))
# Not among the flags that make things anew when they change.
werror	:= $(if $(WERROR),-Werror)
# No folder of this machine is in what is built: two builds of one source have the same bytes.
nowhere	= -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(linux)=linux
san	:= -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

cflags-		= $(CFLAGS) -DNDEBUG
cflags-clang	= -O0 -DNDEBUG
# Lines are all that the report of a sanitizer needs of debug information; -g makes it a sixth dearer.
cflags-check	= -O1 -g1 $(san)
cflags-fuzz	= -O1 -g $(san) -fsanitize=fuzzer-no-link
cflags-plain	= -O1 -g
cflags-tsan	= -O1 -g1 -fsanitize=thread
cflags-cov	= -O1 -g --coverage -fprofile-update=atomic
cflags := $(cflags-$(VARIANT)) $(flags)

ifeq ($(VARIANT),fuzz)
CC	:= $(or $(FUZZCC),$(firstword $(shell selftests/setup.sh fuzzcc)),clang)
else ifeq ($(VARIANT),clang)
CC	:= $(or $(CLANG),$(firstword $(shell selftests/setup.sh fuzzcc)),clang)
endif

# ---------------------------------------------------------------- the parts of a kernel source that we use

# perf/event.h of libperf, the kselftest headers and checkpatch.pl: unpacked once for each version
# of the package, never copied into this repository.
# The last ones are read by abi_test.sh.
linux-members := scripts/checkpatch.pl scripts/const_structs.checkpatch scripts/spelling.txt \
	tools/lib/perf tools/lib/api/fd tools/lib/zalloc.c tools/include tools/arch tools/testing/selftests/kselftest.h \
	tools/testing/selftests/kselftest_harness.h \
	tools/testing/selftests/kselftest tools/testing/selftests/run_kselftest.sh \
	include/linux/coresight-pmu.h \
	tools/perf/include/perf/perf_dlfilter.h tools/perf/util/cs-etm.h tools/perf/util/auxtrace.h include/uapi/linux/perf_event.h \
	$(addprefix drivers/hwtracing/coresight/coresight-,etm4x.h etm-perf.c trbe.c priv.h)
ksrc-tar := /usr/src/linux-source-6.12.tar.xz
ifdef KSRC
linux	:= $(KSRC)
unpacked :=
else
linux	:= $(O)/linux
ksrc-version := $(shell dpkg-query -W -f '$${Version}' linux-source-6.12 2>/dev/null)
unpacked := $(linux)/.unpacked-$(or $(ksrc-version),none)-$(shell echo '$(linux-members)' | cksum | cut -d' ' -f1)
endif

inc-perf	:= -isystem $(linux)/tools/lib/perf/include
linux-arch	:= $(or $(if $(cross),arm64),$(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m))))
inc-libperf	:= $(inc-perf) $(addprefix -isystem $(linux)/tools/,lib include arch/$(linux-arch)/include)
inc-kselftest	:= -isystem $(linux)/tools/testing/selftests
inc-dlfilter	:= -isystem $(linux)/tools/perf/include

# ---------------------------------------------------------------- what there is

lib-o	:= $(patsubst %.c,$(B)/%.o,$(wildcard decoder/*.c decoder/*/*.c))
perf-o	:= $(patsubst %.c,$(B)/%.o,$(wildcard perf-plugin/*.c))
# The encoder has a rule of its own; the plugin of tools/qemu/ takes it from here.
enc-o	:= $(patsubst %.c,$(B)/%.o,$(wildcard tools/encoder/*.c))
# The virtual trace unit, a plugin for QEMU, which has no use for sanitizers.
unit-o	:= $(patsubst %.c,$(B)/%.o,$(wildcard tools/qemu/*.c))
# The terminal: ncurses, where its -dev package is installed.
curses-so := $(shell $(CC) $(if $(SYSROOT),--sysroot=$(SYSROOT)) -print-file-name=libncursesw.so 2>/dev/null)
curses	:= $(if $(findstring /,$(curses-so)),$(or $(shell pkg-config --libs ncursesw 2>/dev/null),-lncursesw -ltinfo))
without-curses = $(B)/tools/tui/screen$(if $(curses),-none).o
# systemd is told of csflow agent, where its -dev package is installed.
systemd-so := $(shell $(CC) $(if $(SYSROOT),--sysroot=$(SYSROOT)) -print-file-name=libsystemd.so 2>/dev/null)
systemd	:= $(if $(findstring /,$(systemd-so)),-lsystemd)
without-systemd = $(B)/tools/agent/notify$(if $(systemd),-none).o
tool-o	:= $(filter-out $(unit-o) $(without-curses) $(without-systemd),$(patsubst %.c,$(B)/%.o,$(wildcard tools/*.c tools/*/*.c)))
ocsd-o	:= $(patsubst %.c,$(B)/%.o,$(wildcard perf-plugin/opencsd/*.c))
# Packets and elements in OpenCSD's words: csflow dump has them, too.
words-o	:= $(patsubst %.c,$(B)/%.o,$(wildcard perf-plugin/opencsd/packet-*.c perf-plugin/opencsd/element-*.c))
# What perf script takes as a filter.
dlf-o	:= $(patsubst %.c,$(B)/%.o,$(wildcard perf-plugin/dlfilter/*.c))
# The command without its main(), for tests of what lies below it.
part-o	:= $(filter-out %/tools/csflow.o,$(tool-o))

# libperf, which opens events and maps rings for csflow agent, and nothing else; made of the kernel's source as it is.
libperf-o := $(addprefix $(B)/libperf/,$(addsuffix .o,$(addprefix perf/,core cpumap threadmap evsel evlist mmap xyarray lib) \
	zalloc api/fd/array))

# Sanitizers leave symbols to the program.
ocsd-defs := $(if $(filter check fuzz cov,$(VARIANT)),,-Wl$(comma)-z$(comma)defs)

libs	:= $(B)/libcsflow.a $(B)/libcsflow.so.0 $(B)/csflow.pc
csflow	:= $(if $(tool-o),$(B)/csflow)
unit	:= $(if $(filter check fuzz cov,$(VARIANT)),,$(if $(unit-o),$(B)/csflow-unit.so))
ocsd	:= $(if $(wildcard perf-plugin/opencsd/api.c),$(B)/libopencsd_c_api.so.1)
dlfilter := $(B)/csflow-dlfilter.so
# csflow vm: its scripts, and the source of the trace units, which it builds for a kernel.
vm	:= $(B)/vm
vm-src	:= $(wildcard tools/vm/*)
glue-src := $(wildcard kernel-glue/Kbuild kernel-glue/*.[ch])
uapi-src := $(wildcard kernel-glue/include/uapi/*.h)
tests	:= $(patsubst %.c,$(B)/%,$(wildcard selftests/*/*_test.c))
fuzzers	:= $(patsubst %.c,$(B)/%,$(wildcard selftests/fuzz/fuzz_*.c))
benches	:= $(patsubst %.c,$(B)/%,$(wildcard selftests/bench/bench*.c))
have-ocsd := $(wildcard $(SYSROOT)/usr/include/opencsd/c_api/opencsd_c_api.h)
ocsd-libs := $(if $(have-ocsd),-lopencsd_c_api -lopencsd)
# A second opinion on opcodes, where LLVM's headers are installed; optimised, it looks at millions.
llvm-config = $(shell selftests/setup.sh llvm-config)
opinions := $(if $(VARIANT),,$(if $(wildcard selftests/opcodes/*.cpp),$(if $(llvm-config),\
	    $(patsubst %.cpp,$(B)/%,$(wildcard selftests/opcodes/*.cpp)))))

LDLIBS	?= -Wl,--as-needed -ldw -lelf -lz -lzstd -llzma -ltraceevent -lexpat -liberty $(curses) $(systemd)
version	:= $(shell sed -n 's/^#define CSF_VERSION_M[AJINOR]*[[:space:]]*//p' decoder/csflow.h | paste -sd.)

all: $(libs) $(csflow) $(ocsd) $(unit) $(dlfilter) $(vm)/vm.sh
tests: $(tests) $(csflow) $(unit) $(dlfilter) $(vm)/vm.sh
dlfilter: $(dlfilter)
fuzzers: $(fuzzers)
benches: $(benches)
opinions: $(opinions) $(if $(VARIANT),,\
	$(addprefix $(B)/selftests/,$(addprefix make/,mkperf mkphone mklists mkkernel mkblocks mkitm mksnap mkstream mkplt) \
	bench/bench_pass bench/bench_itm bench/bench_rusage))
linux: $(unpacked)
	@:

# ---------------------------------------------------------------- how it is made

# Objects depend on this file, and it changes when the compiler or its flags do.
flags-now := $(CC) $(shell $(CC) -dumpfullversion -dumpversion 2>/dev/null) $(cflags)
$(B)/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(flags-now)' | cmp -s - $@ || echo '$(flags-now)' > $@

# An object has two names, with O=dir and without; what it depends on is that of both.
depend = -MMD -MP $(addprefix -MT ,$(sort $@ $(abspath $@) $(patsubst $(CURDIR)/%,%,$@)))

$(B)/%.o: %.c $(B)/.flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(cflags) $(nowhere) $(werror) $(cflags-of) $(depend) -c -o $@ $<

$(perf-o) $(tool-o) $(ocsd-o) $(unit-o): cflags-of = $(inc-perf)
$(perf-o) $(tool-o) $(ocsd-o) $(unit-o) $(dlf-o): | $(unpacked)
$(dlf-o): cflags-of = $(inc-dlfilter)
$(B)/tools/agent/rings.o: cflags-of = $(inc-libperf)
$(B)/selftests/%.o: cflags-of = $(inc-perf) $(inc-kselftest) $(inc-dlfilter) -Idecoder $(extra-cflags)
$(B)/selftests/%.o: selftests/%.c $(B)/.flags | $(unpacked)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(cflags) $(nowhere) $(werror) $(cflags-of) $(depend) -c -o $@ $<

# Its warnings are the kernel's.
$(libperf-o): $(B)/libperf/%.o: $(B)/.flags | $(unpacked)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(cflags) $(nowhere) -w -D_GNU_SOURCE $(inc-libperf) -c -o $@ $(linux)/tools/lib/$*.c

$(B)/libperf.a: $(libperf-o)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The harness ends each test by _exit(), which neither looks for leaks nor writes coverage.
$(B)/selftests/%_test.o: extra-cflags = -D_exit=exit

# Cases for the kernel's KUnit, with headers that stand for those of the kernel.
$(B)/selftests/unit/%_kunit_test.o: extra-cflags = -Iselftests/lib/kunit

# Objects to one object: of machine code, for objcopy hides no name in what -flto leaves for later.
join-objects = $(CC) $(filter-out -fsanitize% -pthread --coverage,$(cflags)) $(filter -fuse-ld%,$(LDFLAGS)) -r -nostdlib \
	$(if $(filter -flto%,$(cflags)),$(if $(findstring clang,$(CC)),,-flinker-output=nolto-rel))

# One object with only the csf_ symbols visible: internal names cannot clash.
$(B)/libcsflow.a: $(lib-o)
	$(Q)$(join-objects) -o $(B)/libcsflow.o $^
	$(Q)$(OBJCOPY) --localize-hidden $(B)/libcsflow.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(B)/libcsflow.o

$(B)/libcsflow.so.0: $(lib-o) decoder/csflow.map
	$(Q)$(CC) $(cflags) $(LDFLAGS) -shared -Wl,-soname,libcsflow.so.0 -Wl,-z,defs \
		-Wl,--version-script=decoder/csflow.map -o $@ $(lib-o)
	$(Q)ln -sf libcsflow.so.0 $(B)/libcsflow.so

# Where the prefix is, seen from the file itself: what was installed may be moved as a whole.
$(B)/csflow.pc: decoder/csflow.pc.in decoder/csflow.h $(B)/.prefix
	@mkdir -p $(@D)
	$(Q)up=$$(realpath -ms --relative-to='$(LIBDIR)/pkgconfig' '$(PREFIX)') && \
		sed "s|@UP@|$$up|; s|@VERSION@|$(version)|" $< > $@

$(B)/.prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(PREFIX) $(LIBDIR)' | cmp -s - $@ || echo '$(PREFIX) $(LIBDIR)' > $@

$(B)/libcsfperf.a: $(perf-o) $(words-o)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# For tests: the parts of the source, unhidden, and which of them each test includes.
parts-c := $(patsubst $(B)/%.o,%.c,$(lib-o) $(perf-o) $(words-o) $(part-o)) \
	$(filter-out selftests/programs/%,$(wildcard selftests/*/*.c))
parts-h := $(wildcard $(addsuffix *.h,$(sort $(dir $(parts-c)))))
-include $(B)/parts.mk
$(B)/parts.mk: FORCE
	@mkdir -p $(@D)
	@selftests/parts.pl $(parts-c) $(parts-h) > $@.new && { cmp -s $@.new $@ || cp $@.new $@; }

$(parts): $(B)/parts.mk
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# The linker takes from them what a program needs.
link-parts = $(CC) $(cflags) $(LDFLAGS) -o $@ -Wl,--start-group $(filter %.o %.a,$^) -Wl,--end-group

# It has the page in it.
$(B)/tools/report/report-html.o: $(wildcard tools/report/page/*)

# At once, for somebody may be running it.
$(B)/csflow: $(tool-o) $(B)/libcsfperf.a $(B)/libcsflow.a $(B)/libperf.a
	$(Q)$(CC) $(cflags) $(LDFLAGS) -o $@.new $^ $(LDLIBS) && mv $@.new $@

# QEMU provides what it calls.
$(B)/csflow-unit.so: $(unit-o) $(enc-o) $(B)/tools/truth/truth-write.o $(B)/libcsflow.a
	$(Q)$(CC) $(cflags) $(LDFLAGS) -shared -o $@.new $^ && mv $@.new $@

$(vm)/vm.sh: $(vm-src) $(glue-src) $(uapi-src)
	@rm -rf $(vm) && mkdir -p $(vm)/kernel-glue/include/uapi
	$(Q)cp $(glue-src) $(vm)/kernel-glue/ && cp $(uapi-src) $(vm)/kernel-glue/include/uapi/ && cp $(vm-src) $(vm)/ && touch $@

# For a perf that is not rebuilt: it needs nothing but libc.
$(B)/libopencsd_c_api.so.1: $(ocsd-o) $(B)/libcsflow.a perf-plugin/opencsd/opencsd.map
	$(Q)$(CC) $(cflags) $(LDFLAGS) -shared -Wl,-soname,libopencsd_c_api.so.1 \
		-Wl,--version-script=perf-plugin/opencsd/opencsd.map $(ocsd-defs) -o $@ \
		$(ocsd-o) $(B)/libcsflow.a

# perf loads it; libc is all that it needs.
$(B)/csflow-dlfilter.so: $(dlf-o) $(B)/perf-plugin/new-file.o
	$(Q)$(CC) $(cflags) $(LDFLAGS) -shared -o $@.new $^ && mv $@.new $@

# It counts calls of these.
$(B)/selftests/truth/without_test: override LDFLAGS += $(addprefix -Wl$(comma)--wrap=,flow_fast flow_fast_spec \
	flow_fast_drain flow_fast_paths flow_fast_prefetch segment_decode read_ahead_next_feed frame_run)

# A part of the plugin, which works without QEMU.
$(B)/selftests/unit/unit_channel_test: $(B)/tools/qemu/channel.o

# It loads that.
$(B)/selftests/perf/dlfilter_samples_test: | $(dlfilter)

# These are linked with the library's own objects, and have nothing of the peer.
own-ocsd := $(addprefix $(B)/selftests/,opencsd/opencsd_test opencsd/opencsd_packet_test opencsd/opencsd_message_calls_test \
	opencsd/opencsd_older_calls_test fuzz/fuzz_opencsd)
$(B)/selftests/fuzz/fuzz_opencsd: $(if $(filter fuzz,$(VARIANT)),,$(B)/selftests/fuzz/fuzz-replay.o)
$(own-ocsd): $(B)/selftests/%: $(B)/selftests/%.o $(ocsd-o)
	$(Q)$(link-parts) $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer) $(LDLIBS)

$(B)/selftests/%_test: $(B)/selftests/%_test.o
	$(Q)$(link-parts) -Wl,--as-needed $(ocsd-libs) $(LDLIBS) -lm

ifeq ($(VARIANT),fuzz)
$(B)/selftests/fuzz/fuzz_%: $(B)/selftests/fuzz/fuzz_%.o
	$(Q)$(link-parts) -fsanitize=fuzzer $(LDLIBS)
else
# Without libFuzzer a fuzzer replays the files that it is given.
$(B)/selftests/fuzz/fuzz_%: $(B)/selftests/fuzz/fuzz_%.o $(B)/selftests/fuzz/fuzz-replay.o
	$(Q)$(link-parts) $(LDLIBS)
endif

$(B)/selftests/bench/bench%: $(B)/selftests/bench/bench%.o
	$(Q)$(link-parts) -Wl,--as-needed $(ocsd-libs) $(LDLIBS)

# What makes recordings, for tests in bash.
$(B)/selftests/make/mk%: $(B)/selftests/make/mk%.o
	$(Q)$(link-parts) -Wl,--as-needed $(ocsd-libs) $(LDLIBS)

$(opinions): $(B)/selftests/%: selftests/%.cpp $(lib-o) $(enc-o)
	@mkdir -p $(@D)
	$(Q)$(CXX) -O2 -std=c++17 -Wall -fno-rtti -fno-exceptions -MMD -MP -MF $@.d \
		-isystem $(shell $(llvm-config) --includedir) -o $@ $< $(lib-o) $(enc-o) \
		$(shell $(llvm-config) --ldflags --libs | paste -sd' ')

ifndef KSRC
$(unpacked):
	@test -r $(ksrc-tar) || { \
		echo "csflow: $(ksrc-tar) is missing: selftests/setup.sh build installs it," >&2; \
		echo "csflow: and make KSRC=dir uses a kernel source tree instead" >&2; exit 1; }
	@echo "unpacking a few headers and scripts of linux-source-6.12 $(ksrc-version)"
	@rm -rf $(linux).tmp $(linux) && mkdir -p $(linux).tmp
	$(Q)xz -dc -T2 $(ksrc-tar) | tar x -C $(linux).tmp --strip-components=1 \
		$(addprefix linux-source-6.12/,$(linux-members))
	@mv $(linux).tmp $(linux) && touch $@
endif

# ---------------------------------------------------------------- perf, with csflow inside

# What perf is linked with: of perf-plugin/ what its headers for the shim name, and what that
# needs.  Other names are hidden, so that they cannot be those of perf.
perf-wants := out plugin plugin-changes plugin-module perf-sample sample-text opencsd/packet-read opencsd/packet-make opencsd/packet-text
perf-names := out_write plugin_* cs_* csf_* ocsd_read* ocsd_packet* ocsd_piece*
$(B)/perf-csflow.o: $(perf-wants:%=$(B)/perf-plugin/%.o) $(B)/libcsfperf.a $(B)/libcsflow.a Makefile
	$(Q)$(join-objects) -o $@ $(filter-out Makefile,$^)
	$(Q)$(OBJCOPY) -w $(perf-names:%=--keep-global-symbol='%') $@

# The source is that of linux-source-6.12, or PERF_TREE: a kernel tree, or a tar of one.
PERF_TREE ?=
# What of Debian's perf to leave out: WITHOUT="python slang"; see build-perf.sh.
WITHOUT	?=
perf-without = $(WITHOUT)
# perf's own code is not free of undefined behaviour; what links its run-time library is.
perf-flags-check := -fsanitize=address,unreachable -fno-omit-frame-pointer
# PERF_CFLAGS: more flags for the compiler; PERF_EXEC: where its scripts will be.
perf-flags = $(strip $(perf-flags-$(VARIANT)) $(PERF_CFLAGS))
perf-build = perf-plugin/shim/build-perf.sh -w '$(perf-without)' -l $< $(if $(perf-flags),-f '$(perf-flags)') \
	$(if $(PERF_EXEC),-x '$(PERF_EXEC)')
# Older ones that are built, too, where Debian's source of them is installed: for tests, and not for speed.
perf-old := $(foreach v,6.1,$(if $(wildcard /usr/src/linux-source-$v.tar.xz),$(B)/perf-$v))

# With parts left out it has a folder of its own, so that neither is built anew for the other.
perf-tree = $(B)/perf-tree$(if $(perf-without),-less)

perf: setup-perf
	$(if $(CROSS_COMPILE),$(error perf is built on the machine that it is for))
	@+$(MAKE) --no-print-directory linux
	@+$(MAKE) --no-print-directory $(jobs) $(B)/perf

$(B)/perf: $(B)/perf-csflow.o FORCE
	@perf=$$($(perf-build) $(if $(PERF_TREE),-s '$(PERF_TREE)') $(perf-tree)) && ln -sfr "$$perf" $@

perfs: perf
	@+$(MAKE) --no-print-directory $(perf-old)

$(perf-old): perf-without = all
$(perf-old): $(B)/perf-%: $(B)/perf-csflow.o FORCE
	@perf=$$($(perf-build) -f '-O1 -g0 $(perf-flags-$(VARIANT))' -s /usr/src/linux-source-$*.tar.xz \
		$(B)/perf-tree-$*) && ln -sfr "$$perf" $@

# perf is told where its scripts are, and they find it under the name of perf; perf-csflow finds both beside itself.
install-perf: perf
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/csflow/perf-core
	cp -rT $(perf-tree)/perf-core $(DESTDIR)$(PREFIX)/lib/csflow/perf-core
	rm -f $(DESTDIR)$(PREFIX)/lib/csflow/perf-core/perf
	install $(B)/perf $(DESTDIR)$(PREFIX)/lib/csflow/perf-core/perf
	printf '%s\n' '#!/bin/sh' 'bin=$$(dirname "$$(realpath "$$0")")' \
		'export PERF_EXEC_PATH="$${bin%/*}/lib/csflow/perf-core"' 'exec "$$PERF_EXEC_PATH/perf" "$$@"' \
		> $(DESTDIR)$(PREFIX)/bin/perf-csflow
	chmod 755 $(DESTDIR)$(PREFIX)/bin/perf-csflow
	$(call install-pages,man='$(perf-man)')
	@echo 'perf-csflow is perf with csflow inside, beside the perf that there is already;'
	@echo 'it takes the same words: perf-csflow script --itrace=b'

# The part of errors.rst that comes from the tables of the source.
errors-page: $(B)/csflow
	$(Q)sed -i '/^\.\. From here on/q' Documentation/user/errors.rst
	$(Q){ echo; $(B)/csflow help errors; } >> Documentation/user/errors.rst

# ---------------------------------------------------------------- tests

# Of perf, tests want the decoder, and Python for its scripts.
check-without := babeltrace bpf cap capstone debuginfod jevents numa perl slang
# Compiled with less optimisation and without -ggdb3, which is dear.
run	:= WITHOUT='$(check-without)' PERF_CFLAGS='-O1 -g0' MAKE='$(MAKE)' O='$(O)' LINUX='$(linux)' KSRC='$(KSRC)' CC='$(CC)' selftests/run.sh
names	:= $(sort $(notdir $(wildcard selftests/*/*_test.c selftests/*/*_test.sh)))
# What takes longest begins first.
long	:= $(addsuffix _test.sh,perf_versions perf_shim arm64 style perf_defects vm live vm_kernel vm_record channel vm_csflow perf_hostile \
	random_access perf_pause threads_race \
	record stock record_stop quick report no_room) threads_test.c $(addsuffix _test.sh,memory stream encode timeline \
	insn_llvm perf_threads) frame_test.c opencsd_perf_test.sh golden_test.sh
names	:= $(filter $(names),$(long)) $(filter-out $(long),$(names))
fuzzing	:= $(sort $(notdir $(wildcard selftests/fuzz/fuzz_*.c)))
# Of these, make check reads the inputs that are kept.
seeded	:= $(foreach f,$(fuzzing),$(if $(wildcard selftests/fuzz/seeds/$(f:fuzz_%.c=%)/*),$(f)))
builds	:= build_check build_gcc $(if $(fuzzing),build_fuzz) build_clang
# Tests that take their time: not in check-core.
slow	?= $(shell sed -n 's/^slow[[:space:]]*\([^[:space:]]*\).*/\1/p' selftests/expected-skips)

check: setup-check
	@+$(MAKE) --no-print-directory linux
	@$(run) -f 0 $(filter-out build_fuzz build_clang,$(builds)) -- $(names) $(seeded)

check-long: setup-check
	@+$(MAKE) --no-print-directory linux
	@CSFLOW_LONG=1 $(run) -f 60 $(builds) -- $(names) $(fuzzing) coverage mutants

check-core: setup-check
	@+$(MAKE) --no-print-directory linux
	@$(run) build_check -- $(filter-out $(slow),$(filter %.c,$(names))) layers_test.sh

# Wrong changes of the source, each of which a test of check-core must notice.  ONLY='NAME ...': these alone;
# PART=2/5: the second fifth of them.
core	:= $(patsubst %.c,%,$(filter-out $(slow),$(filter %_test.c,$(names))))
first	:= case_test packet_test encoder_test
mutants: setup-check
	@+$(MAKE) --no-print-directory linux
	@O='$(abspath $(O))' TESTS='$(filter $(first),$(core)) $(filter-out $(first),$(core))' \
		PART='$(PART)' selftests/mutants/mutants.pl run $(ONLY)

# One test by hand, all it prints: make test T=packet_test
test:
	@+$(MAKE) --no-print-directory linux
	@$(run) -1 $(T)

# A kernel with KASAN, lockdep, kmemleak and KUnit, for debug_kernel_test and csflow vm --kernel.
debug-kernel:
	@selftests/programs/debug-kernel.sh '$(O)/debug-kernel'

# As kselftest does it; T='NAME ...': these tests alone.
run_tests:
	@+$(MAKE) --no-print-directory linux
	@$(run) -t $(if $(T),,build_gcc build_check) -- $(or $(T),$(names))

# For the kernel's runner of tests: selftests/Makefile.  Asserts are on, and what is installed runs elsewhere.
INSTALLED_TESTS = $(or $(T),$(patsubst %.c,%,$(notdir $(wildcard $(addprefix selftests/,unit/*_test.c cases/*_test.c)))))
ksft-programs = $(addprefix $(B)/,$(patsubst %.c,%,$(filter %.c,$(shell selftests/run.sh -p $(INSTALLED_TESTS)))))
ifdef INSTALL_PATH
install-selftests: linux
	@+$(MAKE) --no-print-directory $(csflow) $(unit) $(ksft-programs)
	@selftests/install.sh '$(abspath $(INSTALL_PATH))' $(linux) $(B) $(INSTALLED_TESTS)
else
install-selftests:
	$(error INSTALL_PATH=dir: where the tests go)
endif

coverage: setup-check
	@+$(MAKE) --no-print-directory linux
	@$(run) -c $(filter-out style_test.sh layers_test.sh map_test.sh insn_llvm_test.sh,$(names)) $(fuzzing)

bench: setup-bench
	@+$(MAKE) --no-print-directory linux
	@+$(MAKE) --no-print-directory all benches $(addprefix $(B)/selftests/make/,mksnap mkblocks mkitm mkperf)
	@CSFLOW=$(O)/csflow O=$(O) selftests/bench/bench.sh $(PARTS)

# perf as it is, and with csflow inside, over the same recordings of 64 MiB; MODE=profile: profiles for compilers.
bench-perf: setup-perf
	@+$(MAKE) --no-print-directory linux
	@+$(MAKE) --no-print-directory all benches perf
	@O=$(abspath $(O)) selftests/bench/bench-perf.sh $(MODE)

# What comes through a pipe for long: COMMANDS='dump index': of these alone; see selftests/bench/bench-stream.sh.
bench-stream: setup-bench
	@+$(MAKE) --no-print-directory linux
	@+$(MAKE) --no-print-directory all benches $(addprefix $(B)/selftests/make/,mkperf mkstream)
	@O=$(abspath $(O)) selftests/bench/bench-stream.sh $(COMMANDS)

# -j2 beside two processes of -j1: COMMANDS='dump report': of these alone; see selftests/bench/bench-threads.sh.
bench-threads: setup-bench
	@+$(MAKE) --no-print-directory linux
	@+$(MAKE) --no-print-directory all benches $(addprefix $(B)/selftests/make/,mksnap)
	@O=$(abspath $(O)) selftests/bench/bench-threads.sh $(COMMANDS)

# Programs built with our profiles, beside instrumented builds: Documentation/user/pgo.rst.
pays: setup-check
	@+$(MAKE) --no-print-directory all
	@O=$(abspath $(O)) CSFLOW_FAST=$(abspath $(O))/csflow selftests/bench/pays.sh

setup-%:
	@WITHOUT='$(WITHOUT)' selftests/setup.sh $*

# ---------------------------------------------------------------- demo and installation

# On all processors, unless told how many.
jobs	= $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# PROTOCOL=m33: another demo, with packages of its own.
demo: setup-demo$(PROTOCOL:%=-%)
	@test -x $(O)/csflow || echo "building csflow in $(O)/"
	@+$(MAKE) --no-print-directory $(jobs) all
	@CSFLOW=$(O)/csflow PROTOCOL='$(PROTOCOL)' DATA='$(DATA)' SYMFS='$(SYMFS)' selftests/demo.sh

# The recording itself, from its source: for maintainers, who have clang, lld and qemu-user.
demo-data: $(B)/selftests/make/mkrec
	@MKREC=$(abspath $<) selftests/data/demo/make.sh

PREFIX	?= /usr/local
LIBDIR	?= $(PREFIX)/lib
DATADIR	?= $(PREFIX)/share
# Where each shell looks; Debian's zsh, below /usr, in a folder of its own.
BASHDIR	?= $(DATADIR)/bash-completion/completions
ZSHDIR	?= $(DATADIR)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
FISHDIR	?= $(DATADIR)/fish/vendor_completions.d
man-rst	:= $(wildcard Documentation/man/*.rst)
perf-man := $(O)/man/perf-csflow.1
man	:= $(filter-out $(perf-man),$(patsubst Documentation/man/%.rst,$(O)/man/%,$(man-rst)))

# $(1): which ones, unless all but that of perf.
define install-pages
@+if command -v rst2man > /dev/null; then \
	$(MAKE) --no-print-directory install-man $(1); \
else \
	echo "csflow: man pages left out: no rst2man (package python3-docutils)"; \
fi
endef

# Two tests may do this at the same time.
$(O)/man/%: Documentation/man/%.rst
	@mkdir -p $(@D)
	$(Q)rst2man $< > $@.$$$$ && mv $@.$$$$ $@

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(LIBDIR)/pkgconfig
	install -d $(DESTDIR)$(PREFIX)/lib/csflow
	install -m 755 $(dlfilter) $(DESTDIR)$(PREFIX)/lib/csflow/
	$(if $(csflow),install $(csflow) $(DESTDIR)$(PREFIX)/bin/)
	$(if $(unit),install -d $(DESTDIR)$(PREFIX)/lib/csflow)
	$(if $(unit),install -m 755 $(unit) $(DESTDIR)$(PREFIX)/lib/csflow/)
	install -d $(DESTDIR)$(PREFIX)/lib/csflow/vm
	cp -r $(vm)/. $(DESTDIR)$(PREFIX)/lib/csflow/vm/
	install -m 644 $(wildcard decoder/csflow*.h) $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(B)/libcsflow.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(B)/libcsflow.so.0 $(DESTDIR)$(LIBDIR)/
	ln -sf libcsflow.so.0 $(DESTDIR)$(LIBDIR)/libcsflow.so
	install -m 644 $(B)/csflow.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|@BINDIR@|$(PREFIX)/bin|$(if $(systemd),,; s|Type=notify|Type=exec|)' tools/agent/csflow-agent.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/csflow-agent.service
	install -m 644 tools/agent/agent.ini $(DESTDIR)$(PREFIX)/lib/csflow/
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 644 tools/completion/csflow.bash $(DESTDIR)$(BASHDIR)/csflow
	install -m 644 tools/completion/_csflow $(DESTDIR)$(ZSHDIR)/
	install -m 644 tools/completion/csflow.fish $(DESTDIR)$(FISHDIR)/
	$(call install-pages)

# In a folder of its own: in one where the loader looks it would take the place of Debian's
# library for every program.  Whoever wants that names the folder: OCSD_LIBDIR=/usr/local/lib
OCSD_LIBDIR ?= $(LIBDIR)/csflow
install-opencsd: $(ocsd)
	install -d $(DESTDIR)$(OCSD_LIBDIR)
	install -m 755 $(ocsd) $(DESTDIR)$(OCSD_LIBDIR)/
	@echo 'to use it: LD_LIBRARY_PATH=$(OCSD_LIBDIR) perf script ...'

install-man: $(man)
	@for m in $(man); do \
		s=$${m##*.}; d=$(DESTDIR)$(DATADIR)/man/man$$s; \
		echo "install -m 644 $$m $$d/"; \
		install -d $$d && install -m 644 $$m $$d/ || exit 1; \
	done

# All that `make install`, install-perf, install-opencsd and install-man put there, with the same PREFIX, LIBDIR,
# DATADIR, OCSD_LIBDIR and DESTDIR; what is left empty below DESTDIR, or was ours alone, goes as well.
installed = $(addprefix $(PREFIX)/,bin/csflow bin/perf-csflow lib/csflow/csflow-dlfilter.so lib/csflow/csflow-unit.so \
	lib/csflow/agent.ini lib/systemd/system/csflow-agent.service) \
	$(addprefix $(PREFIX)/include/,$(notdir $(wildcard decoder/csflow*.h))) \
	$(foreach m,$(notdir $(man) $(perf-man)),$(DATADIR)/man/man$(patsubst .%,%,$(suffix $m))/$m) \
	$(BASHDIR)/csflow $(ZSHDIR)/_csflow $(FISHDIR)/csflow.fish \
	$(addprefix $(LIBDIR)/,libcsflow.a libcsflow.so.0 libcsflow.so pkgconfig/csflow.pc) \
	$(OCSD_LIBDIR)/libopencsd_c_api.so.1
uninstall:
	rm -f $(addprefix $(DESTDIR),$(installed))
	rm -rf $(DESTDIR)$(PREFIX)/lib/csflow/perf-core $(DESTDIR)$(PREFIX)/lib/csflow/vm
	@for d in $(sort $(dir $(installed))); do \
		if [ -n '$(DESTDIR)' ] && cd '$(DESTDIR)/' 2> /dev/null; then \
			rmdir -p --ignore-fail-on-non-empty ".$$d" 2> /dev/null; \
		elif [ "$$(basename "$$d")" = csflow ]; then \
			rmdir --ignore-fail-on-non-empty "$$d" 2> /dev/null; \
		fi; \
	done; true

# Debian packages in build/deb/, of a copy of the source, so that nothing is made in the source itself.  PERF=1: that of
# perf as well.  The packages are the same, byte for byte, from any folder.
deb-dir	= $(abspath $(O))/deb
deb: setup-deb$(if $(PERF),-perf)
	@rm -rf '$(deb-dir)' && mkdir -p '$(deb-dir)/csflow'
	@tar c --exclude-vcs --exclude=./build --exclude='./build-*' --exclude='./$(O)' . | tar x -C '$(deb-dir)/csflow'
	$(Q)cd '$(deb-dir)/csflow' && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O \
		dpkg-buildpackage -b -us -uc $(if $(PERF),-Ppkg.csflow.perf)
	@rm -rf '$(deb-dir)/csflow' && ls '$(deb-dir)'/*.deb

# The documentation as a site, in HTML=dir.  A warning is an error.
HTML	?= $(O)/html
site	= $(abspath $(HTML)).source
html: setup-html $(csflow) $(unit)
	@rm -rf '$(site)' && mkdir -p '$(site)' && cp -r Documentation '$(site)'/
	$(Q)CSFLOW=$(abspath $(O))/csflow Documentation/pictures.sh '$(site)'/Documentation/user
	$(Q)CSFLOW_SOURCE='$(CURDIR)' sphinx-build -q -W --keep-going -j auto -b html '$(site)'/Documentation '$(HTML)'
	@rm -rf '$(site)' && echo '$(HTML)/index.html'

clean:
	rm -rf $(O)

help:
	@echo 'make              libcsflow.a, libcsflow.so.0 and csflow, in build/ (O=dir: elsewhere)'
	@echo 'make demo         records a small program on an emulator and shows its branches;'
	@echo '                  DATA=perf.data SYMFS=dir: of yours; PROTOCOL=m33: of a Cortex-M33'
	@echo 'make check        every test; CSFLOW_CORPUS=dir: with the traces there'
	@echo 'make check-core   unit tests and cases: under a minute'
	@echo 'make check-long   fuzzing, line coverage of decoder/, mutants'
	@echo 'make debug-kernel a kernel for arm64 with KASAN and lockdep; csflow vm --kernel takes its folder'
	@echo 'make test T=name  one test by hand, e.g. T=packet_test'
	@echo 'make install-selftests INSTALL_PATH=dir  tests for run_kselftest.sh of the kernel, which is put there, too'
	@echo 'make mutants      are wrong changes of the source noticed?  PART=2/5: the second fifth of them;'
	@echo '                  ONLY=: see selftests/mutants/mutants.pl'
	@echo 'make coverage     line coverage of decoder/'
	@echo 'make bench        speed, beside the peer over the same bytes; MIB=8: of less trace; PARTS=,'
	@echo '                  ONLY=, ROUNDS=: see selftests/bench/bench.sh'
	@echo 'make perf         perf with csflow inside: build/perf; PERF_TREE=dir: of that kernel tree'
	@echo 'make dlfilter     csflow-dlfilter.so, for perf script: a profile for compilers'
	@echo 'make install-perf installs it as perf-csflow'
	@echo 'make bench-perf   speed of perf with csflow inside, beside perf as it is'
	@echo 'make bench-stream whether time and memory grow with what comes through a pipe'
	@echo 'make bench-threads what -j2 does beside two processes of -j1'
	@echo 'make pays         what profiles of csflow pgo are worth: three programs, a quarter of an hour'
	@echo 'make install      PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	@echo 'make install-opencsd  libopencsd_c_api.so.1, for a perf that is not rebuilt'
	@echo 'make deb          Debian packages in build/deb/; PERF=1: that of perf with csflow inside, too'
	@echo 'make html         the documentation as a site: build/html/index.html'
	@echo 'make uninstall    takes away what these four installed; the same PREFIX and DESTDIR'
	@echo 'make clean'
	@echo 'ARCH=arm64: for that, in build/arm64, with libraries of Debian that are fetched'
	@echo 'CROSS_COMPILE=aarch64-linux-gnu-: for another machine; SYSROOT=dir: with the libraries there'
	@echo 'V=1: show commands; CC=clang: another compiler; KSRC=dir: kernel source to take headers from'

FORCE:
.PHONY: all dlfilter tests fuzzers benches opinions linux check check-core check-long debug-kernel mutants test run_tests install-selftests coverage bench bench-perf bench-stream bench-threads pays demo demo-data \
	install install-man install-opencsd uninstall perf perfs install-perf deb html clean help FORCE
.SECONDARY:
.DELETE_ON_ERROR:

-include $(shell find $(B)/decoder $(B)/perf-plugin $(B)/tools $(B)/selftests -name '*.d' 2>/dev/null)

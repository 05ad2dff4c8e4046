#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The ABI header of kernel-glue agrees with the sources of Linux 6.12: the compiler asserts that
# each of their numbers is ours.

cd "$(dirname "$0")/../.." || exit 1
src=${LINUX_SOURCE:-${KSRC:-}}
tar=/usr/src/linux-source-6.12.tar.xz
abi=kernel-glue/include/uapi/csf_abi.h
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

files='tools/include/linux/coresight-pmu.h include/linux/coresight-pmu.h tools/perf/util/cs-etm.h
	tools/perf/util/auxtrace.h include/uapi/linux/perf_event.h
	drivers/hwtracing/coresight/coresight-etm4x.h drivers/hwtracing/coresight/coresight-etm-perf.c
	drivers/hwtracing/coresight/coresight-trbe.c drivers/hwtracing/coresight/coresight-priv.h'

echo "TAP version 13"
if [ -z "$src" ]; then
	if [ ! -r $tar ]; then
		echo "1..0 # SKIP no linux-source-6.12"
		exit 0
	fi
	src=$dir/linux
	mkdir "$src"
	xz -dc $tar | tar x -C "$src" --strip-components=1 $(printf 'linux-source-6.12/%s ' $files)
fi
echo "1..4"

n=0
result()
{
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n $1"
	else
		printf '%s\n' "$2" | head -n 40 | sed 's/^/# /'
		echo "not ok $n $1"
	fi
}

# Their text: #defines whose names begin so, line ends joined; or all of their enums.
defines()
{
	sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$src/$1" | grep -E "^#define[[:space:]]+($2)[A-Za-z0-9_]*(\([a-z]+\))?[[:space:]]+[^[:space:]]"
}

enums()
{
	awk '/^enum[ a-z_]*\{$/ { on = 1 } on { print } /^\};/ { on = 0 }' "$src/$1"
}

# ours theirs, one pair a line
pairs()
{
	cat <<'END'
OPT_BRANCH_BROADCAST		ETM_OPT_BRANCH_BROADCAST
OPT_CYCACC			ETM_OPT_CYCACC
OPT_CONTEXTID1			ETM_OPT_CTXTID
OPT_CONTEXTID2			ETM_OPT_CTXTID2
OPT_TIMESTAMP			ETM_OPT_TS
OPT_RETSTACK			ETM_OPT_RETSTK
CONFIGR_BB			ETM4_CFG_BIT_BB
CONFIGR_CCI			ETM4_CFG_BIT_CYCACC
CONFIGR_CID			ETM4_CFG_BIT_CTXTID
CONFIGR_VMID			ETM4_CFG_BIT_VMID
CONFIGR_TS			ETM4_CFG_BIT_TS
CONFIGR_RS			ETM4_CFG_BIT_RETSTK
CONFIGR_VMIDOPT			ETM4_CFG_BIT_VMID_OPT
ID_LEGACY(5)			CORESIGHT_LEGACY_CPU_TRACE_ID(5)
HW_ID_TRACE_MASK		CS_AUX_HW_ID_TRACE_ID_MASK
HW_ID_SINK_MASK			CS_AUX_HW_ID_SINK_ID_MASK
HW_ID_MINOR_MASK		CS_AUX_HW_ID_MINOR_VERSION_MASK
HW_ID_MAJOR_MASK		CS_AUX_HW_ID_MAJOR_VERSION_MASK
HW_ID_MAJOR			CS_AUX_HW_ID_MAJOR_VERSION
HW_ID_MINOR			CS_AUX_HW_ID_MINOR_VERSION
INFO_VERSION			CS_HEADER_VERSION
INFO_PMU_CPUS			CS_PMU_TYPE_CPUS
INFO_SNAPSHOT			CS_ETM_SNAPSHOT
INFO_WORDS			CS_HEADER_VERSION_MAX
INFO_VERSION_MAX		CS_HEADER_CURRENT_VERSION
CPU_MAGIC			CS_ETM_MAGIC
CPU_NUMBER			CS_ETM_CPU
CPU_N_PARAMS			CS_ETM_NR_TRC_PARAMS
CPU_PARAMS			CS_ETM_COMMON_BLK_MAX_V1
MAGIC_ETM3			__perf_cs_etmv3_magic
MAGIC_ETM4			__perf_cs_etmv4_magic
MAGIC_ETE			__perf_cs_ete_magic
CPU_PARAMS+CSF_ABI_ETM3_ETMCR		CS_ETM_ETMCR
CPU_PARAMS+CSF_ABI_ETM3_ETMTRACEIDR	CS_ETM_ETMTRACEIDR
CPU_PARAMS+CSF_ABI_ETM3_ETMCCER		CS_ETM_ETMCCER
CPU_PARAMS+CSF_ABI_ETM3_ETMIDR		CS_ETM_ETMIDR
CPU_PARAMS+CSF_ABI_ETM3_N_PARAMS	CS_ETM_PRIV_MAX
ETM3_N_PARAMS				CS_ETM_NR_TRC_PARAMS_V0
CPU_PARAMS+CSF_ABI_ETM4_TRCCONFIGR	CS_ETMV4_TRCCONFIGR
CPU_PARAMS+CSF_ABI_ETM4_TRCTRACEIDR	CS_ETMV4_TRCTRACEIDR
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR0		CS_ETMV4_TRCIDR0
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR1		CS_ETMV4_TRCIDR1
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR2		CS_ETMV4_TRCIDR2
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR8		CS_ETMV4_TRCIDR8
CPU_PARAMS+CSF_ABI_ETM4_TRCAUTHSTATUS	CS_ETMV4_TRCAUTHSTATUS
CPU_PARAMS+CSF_ABI_ETM4_TS_SOURCE	CS_ETMV4_TS_SOURCE
CPU_PARAMS+CSF_ABI_ETM4_N_PARAMS	CS_ETMV4_PRIV_MAX
ETM4_N_PARAMS_V0			CS_ETMV4_NR_TRC_PARAMS_V0
CPU_PARAMS+CSF_ABI_ETM4_TRCCONFIGR	CS_ETE_TRCCONFIGR
CPU_PARAMS+CSF_ABI_ETM4_TRCTRACEIDR	CS_ETE_TRCTRACEIDR
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR0		CS_ETE_TRCIDR0
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR1		CS_ETE_TRCIDR1
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR2		CS_ETE_TRCIDR2
CPU_PARAMS+CSF_ABI_ETM4_TRCIDR8		CS_ETE_TRCIDR8
CPU_PARAMS+CSF_ABI_ETM4_TRCAUTHSTATUS	CS_ETE_TRCAUTHSTATUS
CPU_PARAMS+CSF_ABI_ETE_TRCDEVARCH	CS_ETE_TRCDEVARCH
CPU_PARAMS+CSF_ABI_ETE_TS_SOURCE	CS_ETE_TS_SOURCE
CPU_PARAMS+CSF_ABI_ETE_N_PARAMS		CS_ETE_PRIV_MAX
ID_VALID(0x70)			CS_IS_VALID_TRACE_ID(0x70)
ID_VALID(0x6f)			CS_IS_VALID_TRACE_ID(0x6f)
AUXTRACE_TYPE			PERF_AUXTRACE_CS_ETM
AUX_TRUNCATED			PERF_AUX_FLAG_TRUNCATED
AUX_OVERWRITE			PERF_AUX_FLAG_OVERWRITE
AUX_PARTIAL			PERF_AUX_FLAG_PARTIAL
AUX_COLLISION			PERF_AUX_FLAG_COLLISION
AUX_FORMAT_MASK			PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK
AUX_FORMAT_FRAMES		PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT
AUX_FORMAT_RAW			PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW
ARCHID_ETM4			ETM_DEVARCH_ARCHID_ETMv4x
ARCHID_ETE			ETM_DEVARCH_ARCHID_ETE
ARCHID_MASK			ETM_DEVARCH_ARCHID_MASK
IGNORE_BYTE			ETE_IGNORE_PACKET
END
}

{
	printf '#include "%s"\n' "$PWD/$abi"
	cat <<'END'
#define BIT(n)			(1UL << (n))
#define GENMASK(h, l)		((~0UL >> (63 - (h))) & (~0UL << (l)))
#define GENMASK_ULL(h, l)	((~0ULL >> (63 - (h))) & (~0ULL << (l)))
END
	defines tools/include/linux/coresight-pmu.h 'ETM_OPT_|ETM4_CFG_|CS_AUX_|CORESIGHT_LEGACY'
	defines tools/perf/util/cs-etm.h 'CS_HEADER_|CS_ETM|CS_IS_VALID|__perf_cs_'
	enums tools/perf/util/cs-etm.h
	enums tools/perf/util/auxtrace.h | awk '/enum auxtrace_type/ { on = 1 } on { print } /};/ { on = 0 }'
	defines include/uapi/linux/perf_event.h PERF_AUX_FLAG_
	defines drivers/hwtracing/coresight/coresight-etm4x.h ETM_DEVARCH_
	defines drivers/hwtracing/coresight/coresight-trbe.c ETE_IGNORE_PACKET
	pairs | while read -r ours theirs; do
		echo "_Static_assert(CSF_ABI_$ours == $theirs, \"CSF_ABI_$ours is not $theirs\");"
	done
} > "$dir/abi.c"
result "$(pairs | wc -l) numbers are those of Linux 6.12" \
	"$("${CC:-gcc}" -std=gnu11 -fsyntax-only "$dir/abi.c" 2>&1)"

# Values that the driver has in strings: the fields of perf_event_attr.config2 and config3, the
# preset.
bad=
field()
{
	grep -Eq "PMU_FORMAT_ATTR\($1,[[:space:]]*\"$2\"" \
		"$src/drivers/hwtracing/coresight/coresight-etm-perf.c" || bad="$bad $1"
}
field preset config:0-3
field sinkid config2:0-31
field configid config2:32-63
field cc_threshold config3:0-11
result "fields of config2, config3 and the preset are where the driver has them" "$bad"

# perf works with a copy of the kernel's header: both must be the same.
for file in tools/include/linux/coresight-pmu.h include/linux/coresight-pmu.h; do
	defines $file 'ETM_OPT_|ETM4_CFG_|CS_AUX_' | sed 's/[[:space:]]\+/ /g' | sort > "$dir/${file%%/*}"
done
result "kernel and perf have the same coresight-pmu.h" "$(diff "$dir/tools" "$dir/include" 2>&1)"

# The kernel has nothing but linux/types.h; users compile with any options.
cat > "$dir/use.c" <<END
#include "$PWD/$abi"
unsigned long long a = CSF_ABI_HW_ID(0x12, 0x12345678);
int sink[CSF_ABI_HW_ID_SINK(CSF_ABI_HW_ID(1, 7)) == 7 ? 1 : -1];
int minor[CSF_ABI_HW_ID_GET_MINOR(CSF_ABI_HW_ID(1, 7)) == 1 ? 1 : -1];
END
for std in 'c -std=c89' 'c -std=gnu11' 'c++ -std=c++11'; do
	"${CC:-gcc}" -x $std -Wall -Wextra -fsyntax-only "$dir/use.c" 2>&1
done > "$dir/out"
result "the header stands alone, in C89, C11 and C++" "$(cat "$dir/out")"

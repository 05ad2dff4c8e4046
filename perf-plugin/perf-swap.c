// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of machines with the other byte order, converted in place to this machine's order
 * before anything else reads them.  Trace is a string of bytes and stays as it is; so do the fields
 * of tracepoints, whose byte order is in the file.
 *
 * Source: linux/perf_event.h for records of the kernel, perf.data-file-format.txt and libperf's
 * perf/event.h for those of perf.
 */
#include "perf-abi.h"
#include "perf-walk.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The sizes of a record's fields, after its header.  REST: words up to the end. */
#define REST	'*'

static const struct layout {
	uint32_t type;
	const char *fields;
} layouts[] = {
	{ PERF_RECORD_MMAP,			"44888" },
	{ PERF_RECORD_LOST,			"88" },
	{ PERF_RECORD_COMM,			"44" },
	{ PERF_RECORD_EXIT,			"44448" },
	{ PERF_RECORD_THROTTLE,			"888" },
	{ PERF_RECORD_UNTHROTTLE,		"888" },
	{ PERF_RECORD_FORK,			"44448" },
	{ PERF_RECORD_READ,			"44*" },
	{ PERF_RECORD_MMAP2,			"44888448844" },
	{ PERF_RECORD_AUX,			"888" },
	{ PERF_RECORD_ITRACE_START,		"44" },
	{ PERF_RECORD_LOST_SAMPLES,		"8" },
	{ PERF_RECORD_SWITCH_CPU_WIDE,		"44" },
	{ PERF_RECORD_NAMESPACES,		"44*" },
	{ PERF_RECORD_KSYMBOL,			"8422" },
	{ PERF_RECORD_BPF_EVENT,		"224" },
	{ PERF_RECORD_CGROUP,			"8" },
	{ PERF_RECORD_TEXT_POKE,		"822" },
	{ PERF_RECORD_AUX_OUTPUT_HW_ID,		"8" },
	{ PERF_RECORD_HEADER_TRACING_DATA,	"4" },
	{ PERF_RECORD_HEADER_BUILD_ID,		"4" },
	{ PERF_RECORD_ID_INDEX,			"*" },
	{ PERF_RECORD_AUXTRACE_INFO,		"44*" },
	{ PERF_RECORD_AUXTRACE,			"8884444" },
	{ PERF_RECORD_TIME_CONV,		"88888" },
	{ PERF_RECORD_HEADER_FEATURE,		"8" },
	{ PERF_ZSTD_COMPRESSED2,		"8" },
};

/* With a build-id in place of device and inode */
static const char mmap2_with_build_id[] = "44888........................44";

static const char attr_fields[] =
	"44" "8888" "8"			/* type, size; config to read_format; flags */
	"44" "8888" "44" "8"		/* wakeup, bp_type; config1 to sample_regs_user; */
	"422" "448" "8";		/* aux_watermark, max_stack; sig_data; config3 */
#define ATTR_FLAGS	40

static void reverse(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = byte;
	}
}

static void reverse_words(uint8_t *p, uint64_t n)
{
	for (uint64_t i = 0; n - i >= 8; i += 8)
		reverse(p + i, 8);
}

/* Reverses the fields of @n bytes at @p, as far as they go. */
static void reverse_fields(uint8_t *p, size_t n, const char *fields)
{
	for (; *fields; fields++) {
		size_t size = *fields == '.' ? 1 : *fields - '0';

		if (*fields == REST) {
			reverse_words(p, n);
			return;
		}
		if (size > n)
			return;
		reverse(p, size);
		p += size;
		n -= size;
	}
}

/* The table is short, and only a few types have many records. */
static const char *fields_of(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].type == type)
			return layouts[i].fields;
	return "";
}

static uint8_t *at(struct perf_file *file, uint64_t offset)
{
	return (uint8_t *)file->bytes + offset;	/* writable: perf_store_writable() */
}

/* ---------------------------------------------------------------- file */

/* The bits of features are in words of 32 or 64 bits, depending on the machine that wrote them. */
#define FEATURES	72
#define HEADER_SIZE	104

static void swap_features(uint8_t *p)
{
	uint64_t first;

	reverse_words(p, 32);
	first = get_le64(p);
	if ((uint32_t)first || !first)
		return;
	/* all bits are in the upper half: words of 32 bits */
	for (int i = 0; i < 32; i += 8) {
		uint64_t v = get_le64(p + i);

		v = v >> 32 | v << 32;
		memcpy(p + i, &v, sizeof(v));
	}
}

void perf_swap_header(struct perf_file *file)
{
	size_t n = file->size < FEATURES ? file->size : FEATURES;

	reverse_words(at(file, 0), get_le64(file->bytes + 8) >> 56 == 16 ? 16 : n);
	if (file->size >= HEADER_SIZE && get_le64(file->bytes + 8) != 16)
		swap_features(at(file, FEATURES));
}

/* The flags are C bit fields, which begin at the other end of each byte, too. */
static void swap_attr(uint8_t *p, size_t n)
{
	reverse_fields(p, n, attr_fields);
	if (n < ATTR_FLAGS + 8)
		return;
	reverse(p + ATTR_FLAGS, 8);
	for (int i = ATTR_FLAGS; i < ATTR_FLAGS + 8; i++) {
		uint8_t byte = 0;

		for (int bit = 0; bit < 8; bit++)
			byte |= (p[i] >> bit & 1) << (7 - bit);
		p[i] = byte;
	}
}

void perf_swap_attr(struct perf_file *file, uint64_t offset, uint64_t size)
{
	swap_attr(at(file, offset), size);
}

void perf_swap_words(struct perf_file *file, uint64_t offset, uint64_t size)
{
	reverse_words(at(file, offset), size);
}

/* ---------------------------------------------------------------- features */

/* Converts a u32 at *@pos; false: there are no more. */
static bool swap_u32(uint8_t *p, uint64_t n, uint64_t *pos, uint32_t *v)
{
	if (*pos > n || n - *pos < 4)
		return false;
	reverse(p + *pos, 4);
	*v = get_le32(p + *pos);
	*pos += 4;
	return true;
}

/* u32 events, u32 size of an attribute; for each: attribute, u32 ids, string, ids */
static void swap_event_desc(uint8_t *p, uint64_t n)
{
	uint32_t events, attr_size, ids, length;
	uint64_t pos = 0;

	if (!swap_u32(p, n, &pos, &events) || !swap_u32(p, n, &pos, &attr_size))
		return;
	while (events--) {
		if (pos > n || attr_size > n - pos)
			return;
		swap_attr(p + pos, attr_size);
		pos += attr_size;
		if (!swap_u32(p, n, &pos, &ids) || !swap_u32(p, n, &pos, &length))
			return;
		pos += length;
		if (pos > n)
			return;
		reverse_words(p + pos, ids > (n - pos) / 8 ? n - pos : 8ull * ids);
		pos += 8ull * ids;
	}
}

static void swap_build_ids(uint8_t *p, uint64_t n)
{
	uint64_t pos = 0;
	uint16_t size;

	for (;;) {
		pos += perf_build_id_gap(p + pos, n - pos);
		if (n - pos < 12)
			return;
		reverse_fields(p + pos, 12, "4224");
		size = get_le16(p + pos + 6);
		if (size < 12 || size > n - pos)
			return;
		pos += size;
	}
}

static void swap_feature(uint32_t feature, uint8_t *p, uint64_t n)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		swap_build_ids(p, n);
		break;
	case PERF_FEATURE_HOSTNAME:
	case PERF_FEATURE_OSRELEASE:
	case PERF_FEATURE_VERSION:
	case PERF_FEATURE_ARCH:
	case PERF_FEATURE_CPUDESC:
	case PERF_FEATURE_CPUID:
		reverse_fields(p, n, "4");
		break;
	case PERF_FEATURE_NRCPUS:
		reverse_fields(p, n, "44");
		break;
	case PERF_FEATURE_EVENT_DESC:
		swap_event_desc(p, n);
		break;
	case PERF_FEATURE_AUXTRACE:
	case PERF_FEATURE_SAMPLE_TIME:
	case PERF_FEATURE_DIR_FORMAT:
		reverse_words(p, n);
		break;
	}
}

void perf_swap_feature(struct perf_file *file, int feature)
{
	const struct perf_section *section = &file->feature[feature];

	swap_feature(feature, at(file, section->offset), section->size);
}

/* ---------------------------------------------------------------- records */

void perf_swap_record(struct perf_file *file, struct perf_record *record)
{
	uint8_t *p = at(file, record->offset), *body = p + sizeof(struct perf_event_header);
	size_t n = record->size - sizeof(struct perf_event_header);
	const size_t attr = offsetof(struct perf_record_header_attr, attr);
	const size_t fixed = sizeof(struct perf_record_header_feature);
	uint32_t size = 0;

	reverse_fields(p, record->size, "422");
	if (record->type < PERF_RECORD_USER_TYPE_START)
		return;
	if (record->type != PERF_RECORD_HEADER_ATTR) {
		reverse_fields(body, n, fields_of(record->type));
		if (record->type == PERF_RECORD_HEADER_FEATURE && record->size >= fixed)
			swap_feature(PERF_FIELD(p, perf_record_header_feature, feat_id), p + fixed,
				     record->size - fixed);
		return;
	}
	if (record->size < attr + PERF_ATTR_SIZE_VER0)
		return;
	size = __builtin_bswap32(PERF_FIELD(p + attr, perf_event_attr, size));
	if (size < PERF_ATTR_SIZE_VER0 || size > record->size - attr)
		size = record->size - attr;
	swap_attr(p + attr, size);
	reverse_words(p + attr + size, record->size - attr - size);
}

/* Converts the fields of @type at @p: words, except two that are pairs. */
static void swap_pairs(uint8_t *p, uint64_t type)
{
	if (type & PERF_SAMPLE_TID) {
		reverse(p, 8);
		reverse_fields(p, 8, "44");
		p += 8;
	}
	type &= ~(uint64_t)PERF_SAMPLE_TID;
	p += 8 * __builtin_popcountll(type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
					      PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU) {
		reverse(p, 8);
		reverse_fields(p, 8, "44");
	}
}

/*
 * A sample consists of words, some of which hold two numbers; the bytes of a tracepoint, after
 * their length, stay in the kernel's order.
 */
static void swap_sample(struct perf_file *file, const struct perf_record *record)
{
	uint8_t *p = at(file, record->offset), *body = p + 8;
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	const struct perf_evsel *evsel;
	uint64_t type, n = record->size - 8;
	size_t skip, raw;

	reverse_words(body, n);
	evsel = perf_record_evsel(file, record);
	if (!evsel)
		return;
	type = evsel->attr.sample_type;
	skip = 8 * __builtin_popcountll(type & before);
	if (n < skip + 8 * __builtin_popcountll(type & PERF_SAMPLE_FIELDS))
		return;
	swap_pairs(body + skip, type);
	raw = perf_record_raw_at(file, record);
	if (!raw)
		return;
	reverse_words(p + raw, record->size - raw);	/* back again */
	reverse(p + raw, 4);
}

static void swap_trailer(struct perf_file *file, const struct perf_record *record)
{
	uint8_t *p = at(file, record->offset), *end = p + record->size;
	const char *fields = fields_of(record->type);
	const struct perf_evsel *evsel;
	uint64_t type = 0;
	size_t n = 0;

	if (record->type == PERF_RECORD_MMAP2 && record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		fields = mmap2_with_build_id;
	reverse(end - 8, 8);		/* the id, if there is one */
	evsel = perf_record_evsel(file, record);
	reverse(end - 8, 8);
	if (evsel && evsel->attr.sample_id_all)
		type = evsel->attr.sample_type & PERF_TRAILER_FIELDS;
	n = 8 * __builtin_popcountll(type);
	if (n > record->size - sizeof(struct perf_event_header))
		n = 0;
	reverse_fields(p + 8, record->size - 8 - n, fields);
	reverse_words(end - n, n);
	if (n)
		swap_pairs(end - n, type);
}

void perf_swap_kernel(struct perf_file *file)
{
	struct perf_record record;
	struct perf_records it;

	perf_records_start(&it, file);
	while (perf_records_next(&it, &record)) {
		if (record.type >= PERF_RECORD_USER_TYPE_START || record.size < 16)
			continue;
		if (record.type == PERF_RECORD_SAMPLE)
			swap_sample(file, &record);
		else
			swap_trailer(file, &record);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

#define TEXT_MAX	512

/* One log for all trees, as clients expect. */
static struct {
	pthread_mutex_t lock;
	uint32_t severity;
	int flags;
	bool output;
	FILE *file;
} out = { .lock = PTHREAD_MUTEX_INITIALIZER, .severity = ABI_SEV_ERROR };

static __thread struct {
	int err;
	uint32_t index;
	uint8_t id;
	char text[TEXT_MAX];
} last = { .index = UINT32_MAX };

int log_init(uint32_t severity, int output)
{
	pthread_mutex_lock(&out.lock);
	out.severity = severity > ABI_SEV_INFO ? ABI_SEV_INFO : severity;
	out.output = output;
	pthread_mutex_unlock(&out.lock);
	return ABI_OK;
}

int log_output(int flags, const char *path)
{
	FILE *file = NULL;

	if (flags & ~(ABI_LOG_FILE | ABI_LOG_STDERR | ABI_LOG_STDOUT))
		return ABI_ERR_INVALID_PARAM_VAL;
	if (flags & ABI_LOG_FILE) {
		file = fopen(path ?: "ocsd_log.txt", "we");
		if (!file)
			return ABI_ERR_FILE_ERROR;
	}
	pthread_mutex_lock(&out.lock);
	if (out.file)
		fclose(out.file);
	out.file = file;
	out.flags = flags;
	out.output = true;
	pthread_mutex_unlock(&out.lock);
	return ABI_OK;
}

static void write_text(const char *text, size_t n)
{
	pthread_mutex_lock(&out.lock);
	if (out.output && out.flags & ABI_LOG_STDOUT)
		fwrite(text, 1, n, stdout);
	if (out.output && out.flags & ABI_LOG_STDERR)
		fwrite(text, 1, n, stderr);
	if (out.output && out.file)
		fwrite(text, 1, n, out.file);
	pthread_mutex_unlock(&out.lock);
}

void log_print(const struct log_sink *sink, const char *text, size_t n)
{
	if (sink && sink->fn)
		sink->fn(sink->context, text, n);
	else
		write_text(text, n);
}

int log_problem(const struct log_sink *sink, enum abi_severity severity, enum abi_err err,
		uint32_t index, uint8_t id, const char *format, ...)
{
	char line[TEXT_MAX + 128], name[96];
	va_list ap;
	int n;

	va_start(ap, format);
	vsnprintf(last.text, sizeof(last.text), format, ap);
	va_end(ap);
	last.err = err;
	last.index = index;
	last.id = id;
	if (severity > out.severity)
		return err;
	log_error_text(err, name, sizeof(name));
	if (index == UINT32_MAX)
		n = snprintf(line, sizeof(line), "csflow: %s; %s\n", name, last.text);
	else
		n = snprintf(line, sizeof(line), "csflow: %s; TrcIdx=%u; CS ID=%02x; %s\n", name,
			     index, id, last.text);
	if (n > (int)sizeof(line) - 1)
		n = sizeof(line) - 1;
	log_print(sink, line, n);
	return err;
}

bool log_wants(enum abi_severity severity)
{
	return severity <= out.severity;
}

int log_last(uint32_t *index, uint8_t *id, char *message, int n)
{
	if (index)
		*index = last.index;
	if (id)
		*id = last.id;
	if (message && n > 0)
		snprintf(message, n, "%s", last.text);
	return last.err;
}

void log_error_text(int err, char *buf, int n)
{
	static const char *const names[ABI_ERR_LAST] = {
		"OK] [No error.", "FAIL] [It failed.", "MEM] [No memory.",
		"NOT_INIT] [Not set up.", "INVALID_ID] [No such trace ID.",
		"BAD_HANDLE] [No such tree.", "INVALID_PARAM_VAL] [Wrong value.",
		"INVALID_PARAM_TYPE] [Wrong type.", "FILE_ERROR] [File cannot be read or written.",
		"NO_PROTOCOL] [Protocol not supported.", "ATTACH_TOO_MANY] [There is one already.",
		"ATTACH_INVALID_PARAM] [Nothing to attach.",
		"ATTACH_COMP_NOT_FOUND] [Nothing to attach it to.",
		[ABI_ERR_DATA_DECODE_FATAL] = "DATA_DECODE_FATAL] [Decode stopped.",
		[ABI_ERR_BAD_PACKET_SEQ] = "BAD_PACKET_SEQ] [Bad packet.",
		[ABI_ERR_INVALID_PCKT_HDR] = "INVALID_PCKT_HDR] [No such packet.",
		[ABI_ERR_HW_CFG_UNSUPP] = "HW_CFG_UNSUPP] [No such configuration.",
		[ABI_ERR_BAD_DECODE_PKT] = "BAD_DECODE_PKT] [Packet makes no sense.",
		[ABI_ERR_COMMIT_PKT_OVERRUN] = "COMMIT_PKT_OVERRUN] [P0 elements out of count.",
		[ABI_ERR_MEM_NACC] = "MEM_NACC] [No code.",
		[ABI_ERR_RET_STACK_OVERFLOW] = "RET_STACK_OVERFLOW] [Return stack empty.",
		[ABI_ERR_DCDT_NO_FORMATTER] = "DCDT_NO_FORMATTER] [Trace is not framed.",
		[ABI_ERR_MEM_ACC_OVERLAP] = "MEM_ACC_OVERLAP] [Something is there already.",
		[ABI_ERR_MEM_ACC_FILE_NOT_FOUND] = "MEM_ACC_FILE_NOT_FOUND] [No such file.",
		[ABI_ERR_MEM_ACC_RANGE_INVALID] = "MEM_ACC_RANGE_INVALID] [No such range.",
		[ABI_ERR_MEM_ACC_BAD_LEN] = "MEM_ACC_BAD_LEN] [No such length.",
		[ABI_ERR_DCDREG_NAME_UNKNOWN] = "DCDREG_NAME_UNKNOWN] [No such decoder.",
		[ABI_ERR_DCD_INTERFACE_UNUSED] = "DCD_INTERFACE_UNUSED] [Not in use.",
	};
	const char *text = err >= 0 && err < ABI_ERR_LAST ? names[err] : NULL;
	int name;

	if (!buf || n <= 0)
		return;
	if (!text)
		text = "UNKNOWN] [No such error.";
	name = strcspn(text, "]");
	snprintf(buf, n, "0x%04x (OCSD_%s%.*s) %s]", err, err ? "ERR_" : "", name, text,
		 text + name + 2);
}

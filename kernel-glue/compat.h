/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linux 6.1, 6.12 and 7.2: what differs between them in the interface of the CoreSight core.  Other
 * releases were not tried.
 */
#ifndef CSFLOW_COMPAT_H
#define CSFLOW_COMPAT_H

#include <linux/coresight.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/version.h>

/* The core exports these, but declares them in headers of its own only. */
int etm_perf_symlink(struct coresight_device *csdev, bool link);
void coresight_set_percpu_sink(int cpu, struct coresight_device *csdev);

/*
 * What a source or a sink is enabled with.  In their bodies: SOURCE_ID() is the trace ID,
 * SINK_HANDLE the AUX record that is to be made.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define SOURCE_ENABLE_ARGS	struct coresight_device *csdev, struct perf_event *event, u32 mode
#define SINK_ENABLE_ARGS	struct coresight_device *csdev, u32 mode, void *data
#define SINK_HANDLE		((struct perf_output_handle *)data)
#define SOURCE_ID(cpu)		CSF_ABI_ID_LEGACY(cpu)
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define SOURCE_ENABLE_ARGS	struct coresight_device *csdev, struct perf_event *event,	\
				enum cs_mode mode, struct coresight_trace_id_map *ids
#define SINK_ENABLE_ARGS	struct coresight_device *csdev, enum cs_mode mode, void *data
#define SINK_HANDLE		((struct perf_output_handle *)data)
#define SOURCE_ID(cpu)		coresight_trace_id_read_cpu_id_map(cpu, ids)
int coresight_trace_id_read_cpu_id_map(int cpu, struct coresight_trace_id_map *id_map);
#else
#define SOURCE_ENABLE_ARGS	struct coresight_device *csdev, struct perf_event *event,	\
				enum cs_mode mode, struct coresight_path *path
#define SINK_ENABLE_ARGS	struct coresight_device *csdev, enum cs_mode mode,		\
				struct coresight_path *path
#define SINK_HANDLE		(path->handle)
#define SOURCE_ID(cpu)		((void)(cpu), path->trace_id)
#endif

/* A source says which CPU it traces: by a callback, or in its description. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define SOURCE_HAS_CPU_ID	1
#define set_cpu(desc, number)	((void)(desc), (void)(number))
#else
#define SOURCE_HAS_CPU_ID	0
#define set_cpu(desc, number)						\
	do {								\
		(desc)->cpu = (number);					\
		(desc)->flags |= CORESIGHT_DESC_CPU_BOUND;		\
	} while (0)
#endif

/* A source had a trace ID of its own; then the core gave it one; now it asks the core for one. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define SOURCE_HAS_TRACE_ID	1
#else
#define SOURCE_HAS_TRACE_ID	0
#endif
#define SOURCE_ASKS_TRACE_ID	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0))

/* Trace can pause while the event goes on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define SOURCE_PAUSES		0
#define PAUSED(event)		false
#else
#define SOURCE_PAUSES		1
#define PAUSED(event)		READ_ONCE((event)->hw.aux_paused)
#endif

/* An event had two words of configuration. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define CONFIG3(event)		((void)(event), 0ULL)
#else
#define CONFIG3(event)		((event)->attr.config3)
#endif

/* perf wants to be told trace IDs; before, it numbered them itself. */
#define PERF_HAS_OUTPUT_ID	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/* Binary attributes became constant. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define BIN_ATTR_CONST
#else
#define BIN_ATTR_CONST		const
#endif
#define BIN_ATTR_ARG		BIN_ATTR_CONST struct bin_attribute *attr

/*
 * A way out of a device, to input @port of the device that is called @to.  The core frees what is
 * allocated for it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
static inline int connect_out(struct device *dev, struct coresight_platform_data *pdata,
			      struct coresight_connection *connection, struct fwnode_handle *to,
			      int port)
{
	connection->child_port = port;
	connection->child_fwnode = fwnode_handle_get(to);
	pdata->conns = connection;
	pdata->nr_outport = 1;
	return 0;
}

static inline void has_inputs(struct coresight_platform_data *pdata)
{
	pdata->nr_inport = 1;
}
#else
static inline int connect_out(struct device *dev, struct coresight_platform_data *pdata,
			      struct coresight_connection *connection, struct fwnode_handle *to,
			      int port)
{
	pdata->out_conns = devm_kzalloc(dev, sizeof(*pdata->out_conns), GFP_KERNEL);
	if (!pdata->out_conns)
		return -ENOMEM;
	connection->dest_port = port;
	connection->dest_fwnode = fwnode_handle_get(to);
	pdata->out_conns[0] = connection;
	pdata->nr_outconns = 1;
	return 0;
}

static inline void has_inputs(struct coresight_platform_data *pdata)
{
}
#endif

/* Modes were numbers that the core kept for itself. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
enum { CS_MODE_DISABLED, CS_MODE_SYSFS, CS_MODE_PERF };
#endif

#endif /* CSFLOW_COMPAT_H */

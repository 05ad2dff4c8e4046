// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/preempt.h>
#include <linux/pm_runtime.h>
#include <linux/property.h>
#include <linux/vmalloc.h>

#include "aux.h"
#include "channel.h"
#include "compat.h"
#include "csf_abi.h"
#include "etr.h"
#include "frames.h"
#include "live.h"
#include "play.h"
#include "unit.h"

#define NAME	"csflow_etr"

static unsigned int etr_size = 1 << 20;
module_param(etr_size, uint, 0444);
MODULE_PARM_DESC(etr_size, "Bytes of the sink that all CPUs share, a power of two; 0: there is none");

/**
 * struct etr - the sink
 * @node: its name in the topology
 * @device: its parent, which has a driver and @node
 * @sink: NULL: there is none
 * @lock: the fields below
 * @users: CPUs that use it
 * @running: those of them whose trace was not yet asked for
 * @owner: the process that made their events
 * @frames: what was made
 * @taken: bytes of it that went into AUX buffers
 * @lost: a unit had no room in its channel
 */
static struct etr {
	struct fwnode_handle *node;
	struct platform_device *device;
	struct coresight_device *sink;
	raw_spinlock_t lock;
	unsigned int users, running;
	pid_t owner;
	struct frames frames;
	u64 taken;
	bool lost;
} etr;

/* -------- from the units into frames */

static void add_live(struct unit *unit)
{
	const u64 end = channel_written(unit->channel);

	if (READ_ONCE(unit->channel->full))
		etr.lost = true;
	if (end - unit->pos > CSF_CHANNEL_BYTES) {
		unit->pos = end - CSF_CHANNEL_BYTES;
		etr.lost = true;
	}
	while (unit->pos != end) {
		size_t n = end - unit->pos;
		const u8 *bytes = channel_bytes(unit->channel, unit->pos, &n);

		frames_add(&etr.frames, unit->id, bytes, n);
		unit->pos += n;
	}
}

/* Half of the memory, because frames have more bytes than their sources. */
static void add_played(struct unit *unit)
{
	const size_t room = etr.frames.size / 2;
	const u8 *bytes;
	size_t n, lost;

	raw_spin_lock(&unit->lock);
	n = play_piece(unit, room, room, &bytes, &lost);
	frames_add(&etr.frames, unit->id, bytes, n);
	raw_spin_unlock(&unit->lock);
}

/* Where the kernel is traced, so is the copying, and that could fill the channel unseen. */
void etr_interrupt(struct unit *unit)
{
	WRITE_ONCE(unit->busy, true);
	channel_stop(unit->channel);
	raw_spin_lock(&etr.lock);
	add_live(unit);
	live_allow_all(unit);
	raw_spin_unlock(&etr.lock);
	WRITE_ONCE(unit->busy, false);
	source_go_on(unit);
}

/* -------- from frames into an AUX buffer */

/* A frame that says: what came before is lost. */
static void put_barrier(const struct buffer *b, size_t at)
{
	static const __le32 word = cpu_to_le32(CSF_ABI_BARRIER_WORD);

	for (size_t i = 0; i < FRAME_SIZE; i += sizeof(word))
		aux_put(b, at + i, (const u8 *)&word, sizeof(word));
}

/* The newest bytes of @n, as many as there is room for. */
static size_t take(const struct buffer *b, struct perf_output_handle *handle)
{
	const struct frames *f = &etr.frames;
	const u64 all = f->written - etr.taken;
	const size_t room = b->snapshot ? b->size : round_down(handle->size, FRAME_SIZE);
	const size_t n = min3(all, (u64)f->size, (u64)room);
	const size_t from = (f->written - n) & (f->size - 1);
	const size_t first = min(n, f->size - from);

	aux_put(b, handle->head, f->ring + from, first);
	aux_put(b, handle->head + first, f->ring, n - first);
	if (n < all && n)
		put_barrier(b, handle->head);
	if ((n < all || etr.lost) && !b->snapshot)
		perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
	etr.taken = f->written;
	etr.lost = false;
	return n;
}

/* -------- what the CoreSight core asks of a sink */

/* One session at a time. */
static int claim(const struct buffer *b)
{
	if (etr.users && etr.owner != b->owner)
		return -EBUSY;
	/* The last CPU may have stopped without a buffer: what is left is for the next one. */
	if (!etr.users && etr.owner != b->owner) {
		frames_flush(&etr.frames);
		etr.taken = etr.frames.written;
		etr.lost = false;
	}
	etr.owner = b->owner;
	etr.users++;
	return 0;
}

static int etr_enable(SINK_ENABLE_ARGS)
{
	struct unit *unit = unit_here();
	const struct buffer *b;
	unsigned long flags;
	int err;

	if (mode != CS_MODE_PERF)
		return -EINVAL;
	b = aux_find(SINK_HANDLE);
	if (!b)
		return -EINVAL;
	raw_spin_lock_irqsave(&etr.lock, flags);
	err = claim(b);
	if (!err) {
		unit->runs = true;
		etr.running++;
	}
	if (!err && unit->channel) {
		unit->shared = true;
		unit->pos = channel_written(unit->channel);
		live_allow_all(unit);
	}
	raw_spin_unlock_irqrestore(&etr.lock, flags);
	return err;
}

/* Two CPUs that stop at once both ask before either is disabled: the second one is the last. */
static void stop_running(struct unit *unit)
{
	if (unit->runs)
		etr.running--;
	unit->runs = false;
}

static int etr_disable(struct coresight_device *csdev)
{
	unsigned long flags;
	bool used;

	raw_spin_lock_irqsave(&etr.lock, flags);
	unit_here()->shared = false;
	stop_running(unit_here());
	used = --etr.users;
	raw_spin_unlock_irqrestore(&etr.lock, flags);
	return used ? -EBUSY : 0;
}

/*
 * The last CPU that stops gets it all.  A pause may come in an NMI, or from a kprobe, while this
 * CPU handles its interrupt and has the lock: the trace then stays where it is until the next time.
 * While the core starts or stops an event, it lets no pause through.
 */
static unsigned long etr_update_buffer(struct coresight_device *csdev,
				       struct perf_output_handle *handle, void *config)
{
	struct unit *unit = unit_here();
	struct buffer *b = config;
	unsigned long flags;
	size_t n = 0;

	/* A reader of sysfs may have the unit's own lock: a pause has nothing to play back. */
	if (READ_ONCE(unit->busy) || (in_nmi() && !unit->channel))
		return 0;
	raw_spin_lock_irqsave(&etr.lock, flags);
	if (unit->channel)
		add_live(unit);
	else
		add_played(unit);
	stop_running(unit);
	if (!etr.running) {
		frames_flush(&etr.frames);
		n = take(b, handle);
	}
	/* The event may go on after a pause. */
	if (unit->channel)
		live_allow_all(unit);
	raw_spin_unlock_irqrestore(&etr.lock, flags);
	if (b->snapshot)
		handle->head += n;
	return n;
}

static const struct coresight_ops_sink sink_ops_table = {
	.enable		= etr_enable,
	.disable	= etr_disable,
	.alloc_buffer	= aux_alloc,
	.free_buffer	= aux_free,
	.update_buffer	= etr_update_buffer,
};

static const struct coresight_ops sink_ops_all = {
	.sink_ops = &sink_ops_table,
};

/* -------- the device, of which the topology wants a name of its own */

static int probe(struct platform_device *pdev)
{
	pm_runtime_set_active(&pdev->dev);
	pm_runtime_enable(&pdev->dev);
	return 0;
}

static struct platform_driver driver = {
	.probe = probe,
	.driver = {
		.name = NAME,
		.suppress_bind_attrs = true,
	},
};

static int make_device(void)
{
	struct platform_device_info info = { .name = NAME, .id = PLATFORM_DEVID_NONE };
	int err;

	etr.node = fwnode_create_software_node(NULL, NULL);
	if (IS_ERR(etr.node))
		return PTR_ERR(etr.node);
	err = platform_driver_register(&driver);
	if (err)
		goto remove;
	info.fwnode = etr.node;
	etr.device = platform_device_register_full(&info);
	if (!IS_ERR(etr.device))
		return 0;
	err = PTR_ERR(etr.device);
	platform_driver_unregister(&driver);
remove:
	fwnode_remove_software_node(etr.node);
	return err;
}

static void remove_device(void)
{
	pm_runtime_disable(&etr.device->dev);
	platform_device_unregister(etr.device);
	platform_driver_unregister(&driver);
	fwnode_remove_software_node(etr.node);
}

static int make_sink(struct device *dev)
{
	struct coresight_desc desc = {
		.dev = dev,
		.type = CORESIGHT_DEV_TYPE_SINK,
		.subtype.sink_subtype = CORESIGHT_DEV_SUBTYPE_SINK_SYSMEM,
		.ops = &sink_ops_all,
		.name = NAME "0",
	};
	struct coresight_device *sink;

	if (!dev->driver)
		return -ENODEV;
	desc.pdata = devm_kzalloc(dev, sizeof(*desc.pdata), GFP_KERNEL);
	if (!desc.pdata)
		return -ENOMEM;
	has_inputs(desc.pdata);
	sink = coresight_register(&desc);
	if (IS_ERR(sink))
		return PTR_ERR(sink);
	etr.sink = sink;
	return 0;
}

int etr_register(void)
{
	int err;

	if (!etr_size)
		return 0;
	if (etr_size < PAGE_SIZE || !is_power_of_2(etr_size))
		return -EINVAL;
	raw_spin_lock_init(&etr.lock);
	etr.frames.size = etr_size;
	etr.frames.ring = vmalloc(etr_size);
	if (!etr.frames.ring)
		return -ENOMEM;
	err = make_device();
	if (err)
		goto free;
	err = make_sink(&etr.device->dev);
	if (!err)
		return 0;
	remove_device();
free:
	vfree(etr.frames.ring);
	return err;
}

void etr_unregister(void)
{
	if (!etr.sink)
		return;
	coresight_unregister(etr.sink);
	remove_device();
	vfree(etr.frames.ring);
	memset(&etr, 0, sizeof(etr));
}

int etr_connect(const struct unit *unit, struct device *dev,
		struct coresight_platform_data *pdata)
{
	struct coresight_connection *connection;

	if (!etr.sink)
		return 0;
	connection = devm_kzalloc(dev, sizeof(*connection), GFP_KERNEL);
	if (!connection)
		return -ENOMEM;
	return connect_out(dev, pdata, connection, etr.node, unit->cpu);
}

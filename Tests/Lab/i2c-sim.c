// SPDX-License-Identifier: GPL-2.0
/*
 * An I2C bus with plain transfers and simulated parts: the adapter is ours, the drivers of the
 * parts are the kernel's.
 *
 * Parameters, which may be written at any time:
 *   answers    all that the parts answer, in hexadecimal digits: ADDRESS:WRITTEN or
 *              ADDRESS:WRITTEN=READ, with commas between. A write that begins with WRITTEN is
 *              acknowledged; a read after it gives READ, then ff, as a line does that nothing
 *              holds. The first that fits counts.
 *   damaged    addresses of parts whose answers have a wrong last byte, which is a checksum
 *   gone       addresses of parts that acknowledge nothing
 *   hangs      1: each transfer ends with the adapter's time-out of a second
 *
 * The numbers of errors are those of i2c-bcm2835, the driver of a Pi before the 5.
 *
 * Source: Linux, Documentation/i2c/fault-codes.rst and drivers/i2c/busses/i2c-bcm2835.c.
 */
#include <linux/i2c.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#define ADDRESSES 128
#define ENTRIES 64
#define WRITTEN_LIMIT 8
#define READ_LIMIT 32

static struct entry {
	u8 address, written_count, read_count;
	u8 written[WRITTEN_LIMIT], read[READ_LIMIT];
} entries[ENTRIES];
static int entry_count;
/* What each address was asked last; NULL where nothing can be read. */
static const struct entry *asked[ADDRESSES];

static u8 damaged[ADDRESSES];
static uint damaged_count;
module_param_array(damaged, byte, &damaged_count, 0644);
static u8 gone[ADDRESSES];
static uint gone_count;
module_param_array(gone, byte, &gone_count, 0644);
static bool hangs;
module_param(hangs, bool, 0644);

static u8 take_bytes(const char **text, u8 *bytes, u8 limit)
{
	u8 count = 0;

	while (count < limit && !hex2bin(bytes + count, *text, 1)) {
		*text += 2;
		count++;
	}
	return count;
}

static int set_answers(const char *text, const struct kernel_param *param)
{
	int count = 0;

	entry_count = 0;
	memset(asked, 0, sizeof(asked));
	while (*text && *text != '\n') {
		struct entry *entry = &entries[count];

		if (count == ENTRIES)
			return -E2BIG;
		if (!take_bytes(&text, &entry->address, 1) || *text++ != ':')
			return -EINVAL;
		entry->written_count = take_bytes(&text, entry->written, WRITTEN_LIMIT);
		entry->read_count = 0;
		if (*text == '=') {
			text++;
			entry->read_count = take_bytes(&text, entry->read, READ_LIMIT);
		}
		if (*text == ',')
			text++;
		else if (*text && *text != '\n')
			return -EINVAL;
		count++;
	}
	entry_count = count;
	return 0;
}

static const struct kernel_param_ops answers_ops = { .set = set_answers };
module_param_cb(answers, &answers_ops, NULL, 0200);

static bool is_in(const u8 *list, uint count, u16 address)
{
	while (count--)
		if (list[count] == address)
			return true;
	return false;
}

static bool is_there(u16 address)
{
	int i;

	if (address >= ADDRESSES || is_in(gone, gone_count, address))
		return false;
	for (i = 0; i < entry_count; i++)
		if (entries[i].address == address)
			return true;
	return false;
}

/* The entry that a write begins with, or NULL. */
static const struct entry *entry_of(const struct i2c_msg *message)
{
	int i;

	for (i = 0; i < entry_count; i++) {
		const struct entry *entry = &entries[i];

		if (entry->address == message->addr && entry->written_count <= message->len &&
		    !memcmp(entry->written, message->buf, entry->written_count))
			return entry;
	}
	return NULL;
}

static int carry_out(struct i2c_msg *message)
{
	const struct entry *entry;

	if (!is_there(message->addr)) {
		/* A part that lost its power does not know what it was asked. */
		if (message->addr < ADDRESSES)
			asked[message->addr] = NULL;
		return -EREMOTEIO;
	}
	/* The address alone. */
	if (!message->len)
		return 0;
	if (!(message->flags & I2C_M_RD)) {
		asked[message->addr] = entry_of(message);
		return asked[message->addr] ? 0 : -EREMOTEIO;
	}
	entry = asked[message->addr];
	if (!entry || !entry->read_count)
		return -EREMOTEIO;
	memset(message->buf, 0xff, message->len);
	memcpy(message->buf, entry->read, min_t(u16, message->len, entry->read_count));
	if (is_in(damaged, damaged_count, message->addr) && entry->read_count <= message->len)
		message->buf[entry->read_count - 1] ^= 1;
	return 0;
}

static int transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
	int i, result = 0;

	if (READ_ONCE(hangs)) {
		schedule_timeout_uninterruptible(adapter->timeout);
		return -ETIMEDOUT;
	}
	/* The parameters stay as they are for one transfer. */
	kernel_param_lock(THIS_MODULE);
	for (i = 0; i < count && !result; i++)
		result = carry_out(&messages[i]);
	kernel_param_unlock(THIS_MODULE);
	return result ? result : count;
}

static u32 functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm algorithm = {
	.master_xfer = transfer,
	.functionality = functionality,
};

static struct i2c_adapter adapter = {
	.owner = THIS_MODULE,
	.algo = &algorithm,
	.name = "i2c-sim",
};

static int __init i2c_sim_init(void)
{
	return i2c_add_adapter(&adapter);
}

static void __exit i2c_sim_exit(void)
{
	i2c_del_adapter(&adapter);
}

module_init(i2c_sim_init);
module_exit(i2c_sim_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("I2C bus with simulated parts");

// SPDX-License-Identifier: GPL-2.0
/*
 * A 1-wire bus with simulated DS18B20: the master is ours, wire and w1_therm are the kernel's.
 *
 * Parameters, which may be written at any time:
 *   raw        temperature of each part in sixteenths of a degree (at most 4 parts)
 *   present    bit n: part n answers
 *   damaged    bit n: the checksum of part n is wrong
 *
 * Source: Maxim, DS18B20 data sheet: time slots, ROM and function commands, scratchpad.
 */
#include <linux/module.h>
#include <linux/w1.h>

#define PARTS 4
#define SCRATCHPAD 9

static int raw[PARTS];
static int raw_count;
module_param_array(raw, int, &raw_count, 0644);
static uint present = 1;
module_param(present, uint, 0644);
static uint damaged;
module_param(damaged, uint, 0644);

enum state { IDLE, ROM, SEARCH, MATCH, FUNCTION, READING, WRITING, READY };

static struct part {
	u64 rom;
	enum state state;
	int count;
	u8 byte;
	u8 data[SCRATCHPAD];
} parts[PARTS];

static u64 rom_of(int index)
{
	u8 bytes[8] = { 0x28, 0xe2, 0xfd, 0xc3, 0x05, 0x00, index, 0 };
	u64 rom = 0;
	int i;

	bytes[7] = w1_calc_crc8(bytes, 7);
	for (i = 0; i < 8; i++)
		rom |= (u64)bytes[i] << (8 * i);
	return rom;
}

static void measure(int index)
{
	struct part *part = &parts[index];

	part->data[0] = raw[index] & 0xff;
	part->data[1] = raw[index] >> 8 & 0xff;
	part->data[5] = 0xff;
	part->data[7] = 0x10;
}

static void begin(struct part *part, enum state state)
{
	part->state = state;
	part->count = 0;
	part->byte = 0;
}

/* What a part does with the last bit of a command's byte. */
static void command(int index)
{
	struct part *part = &parts[index];

	switch (part->byte) {
	case 0xf0: begin(part, SEARCH); break;
	case 0x55: begin(part, MATCH); break;
	case 0xcc: begin(part, FUNCTION); break;
	case 0x44: measure(index); begin(part, READY); break;
	case 0xb4: case 0x48: case 0xb8: begin(part, READY); break;
	case 0x4e: begin(part, WRITING); break;
	case 0xbe:
		part->data[8] = w1_calc_crc8(part->data, 8) ^ (damaged >> index & 1);
		begin(part, READING);
		break;
	default: begin(part, IDLE);
	}
}

/* One slot: the level that the part lets the line have; `level` is what the master writes. */
static u8 slot(int index, u8 level)
{
	struct part *part = &parts[index];
	u8 out = 1;

	switch (part->state) {
	case IDLE: case READY:
		break;
	case SEARCH:
		if (part->count % 3 == 0)
			out = part->rom >> part->count / 3 & 1;
		else if (part->count % 3 == 1)
			out = !(part->rom >> part->count / 3 & 1);
		else if (level != (part->rom >> part->count / 3 & 1))
			begin(part, IDLE);
		if (part->state == SEARCH && ++part->count == 3 * 64)
			begin(part, FUNCTION);
		break;
	case MATCH:
		if (level != (part->rom >> part->count & 1))
			begin(part, IDLE);
		else if (++part->count == 64)
			begin(part, FUNCTION);
		break;
	case READING:
		out = part->data[part->count / 8] >> part->count % 8 & 1;
		if (++part->count == 8 * SCRATCHPAD)
			begin(part, READY);
		break;
	case ROM: case FUNCTION: case WRITING:
		part->byte |= level << part->count % 8;
		if (++part->count % 8)
			break;
		if (part->state != WRITING) {
			command(index);
			break;
		}
		part->data[1 + part->count / 8] = part->byte;
		part->byte = 0;
		if (part->count == 24)
			begin(part, READY);
	}
	return out;
}

static u8 touch_bit(void *data, u8 level)
{
	u8 line = level;
	int i;

	for (i = 0; i < raw_count; i++)
		if (present >> i & 1)
			line &= slot(i, level);
	return line;
}

/* 0 where a part answers. */
static u8 reset_bus(void *data)
{
	int i;

	for (i = 0; i < raw_count; i++)
		begin(&parts[i], ROM);
	return !(present & ((1u << raw_count) - 1));
}

static struct w1_bus_master master = { .touch_bit = touch_bit, .reset_bus = reset_bus };

static int __init w1_sim_init(void)
{
	int i;

	for (i = 0; i < PARTS; i++) {
		/* After power-on: 85 degrees, limits 75 and 70, 12 bits. */
		static const u8 first[] = { 0x50, 0x05, 0x4b, 0x46, 0x7f, 0xff, 0x0c, 0x10 };

		parts[i].rom = rom_of(i);
		memcpy(parts[i].data, first, sizeof(first));
	}
	return w1_add_master_device(&master);
}

static void __exit w1_sim_exit(void)
{
	w1_remove_master_device(&master);
}

module_init(w1_sim_init);
module_exit(w1_sim_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("1-wire bus with simulated DS18B20");

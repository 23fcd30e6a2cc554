"""The case of parts on I²C with plain transfers: real drivers of the kernel over a bus of ours with simulated parts.

What i2c-stub of the kernel cannot be: these drivers send commands of one or two bytes and read words with a checksum.
"""

from bench import Skipped, case, demand, journal
from header import bind, bus_number, driver, keep, prepare, simulate, use
from machine import Failed

# Sensirion's example of 25 °C and 37 % with their checksums, from the data sheet of the SCD4x, 3.5.2. The formulas of SHT3x
# and SHT4x have the same temperature; the humidity of an SHT4x is -6 + 125 × 24249 / 65535.
EXAMPLE = "6667a25eb93c"
# Limits of an SHT3x after power-on, as its data sheet has them.
LIMITS = {"e11f": "cd33fd", "e114": "c92d22", "e109": "386937", "e102": "3466ad"}
# By the name that the station gives: address, the kernel's name, answers by what is written, values of channels.
PARTS = {
    "sht3x": (0x44, "sht3x", {"3041": "", "2400": EXAMPLE, **LIMITS}, {"temperature": 25.0, "humidity": 37.0}),
    "sht4x": (0x46, "sht4x", {"94": "", "fd": EXAMPLE, "89": "0eee32f00dd5"}, {"temperature": 25.0, "humidity": 40.25}),
    # Data sheet of the SHT21, figure 15: 6352 with the checksum 64 is 42.5 %. Temperature: -46.85 + 175.72 × 26680 / 65536.
    "sht2x": (0x40, "sht21", {"e3": "683a7c", "e5": "635264"}, {"temperature": 24.69, "humidity": 42.49}),
    # Data sheet of the BH1750, measurement sequence: 8390 / 1.2 is 28067 lx. Power down, 69 as time of measurement, one time.
    "bh1750": (0x23, "bh1750", {"00": "", "42": "", "65": "", "20": "8390"}, {"illuminance": 28066.7}),
    # Data sheet of the TSL4531, registers: number of the kind, control, configuration, whole lux with the low byte first.
    "tsl4531": (0x29, "tsl4531", {"8a": "a0", "80": "", "81": "", "84": "3930"}, {"illuminance": 12345.0}),
    # Data sheet of the ADS1115, table of output codes: 7fff is the full scale, 2048 mV, less a step of 0.0625 mV.
    "ads1115": (0x48, "ads1115", {"00": "7fff", "01": "8583"}, {f"voltage{input}": 2047.94 for input in range(4)}),
}
# The second SHT3x is read without a driver; a thermometer on a bus of its own has nothing to do with it all.
DIRECT, DIRECT_ADDRESS = "sht3x-2", 0x45
OTHER, OTHER_ADDRESS = "lm75", 0x49
# A driver that keeps a failure until it is bound anew: see `bind_anew`.
STUBBORN = "ads1115"
BACK_SECONDS = 30


@case
def i2c(lab):
    """Debian's own drivers of SHT3x, SHT4x, SHT2x, BH1750, TSL4531 and ADS1115 over plain I²C: to the digit; damaged, gone, hanging: named, and back."""
    with lab.machine() as machine:
        if machine.run("modprobe i2c-dev && modprobe i2c-sim", check=False)[0] != 0:
            raise Skipped("no module i2c-sim: see build/modules.log in .build-lab/guest")
        machine.run(f"modprobe i2c-stub chip_addr={OTHER_ADDRESS:#x}")
        bus, other = bus_number(machine, "i2c-sim"), bus_number(machine, "stub")
        machine.run(f"i2cset -y {other} {OTHER_ADDRESS:#x} 0 0x8019 w")
        change(machine, answers=answers())
        prepare(machine)
        read(lab, machine, bus, other)
        damage(lab, machine)
        lose(lab, machine)
        hang(lab, machine, bus)
        bind_anew(lab, machine, bus)
        compare(machine)
        journal(lab, machine)
        keep(machine, "roost bus; roost events --limit 120; dmesg | tail -n 20")


def answers():
    """What the parts say, as the module takes it."""
    parts = [(address, said) for address, _, said, _ in PARTS.values()]
    parts.append((DIRECT_ADDRESS, {"2400": EXAMPLE, "3780": "0eee32f00dd5"}))
    return ",".join(f"{address:02x}:{written}" + (f"={read}" if read else "")
                    for address, said in parts for written, read in said.items())


def change(machine, **parameters):
    simulate(machine, "i2c_sim", **parameters)


def expected():
    found = {f"{part}/{name}": value for part, entry in PARTS.items() for name, value in entry[3].items()}
    found.update({f"{DIRECT}/{name}": value for name, value in PARTS["sht3x"][3].items()})
    return {**found, f"{OTHER}/temperature": 25.5}


def fresh(*parts):
    """Shell words that are true when each channel of the parts has a value younger than 10 s; a station with a fault has status 2."""
    channels = [channel for channel in expected() if channel.split("/")[0] in parts]
    return "roost status >/tmp/said; " + " && ".join(
        f"grep -qE '{channel} +-?[0-9.]+ [^ ]+ +[0-9]\\.[0-9] s ago' /tmp/said" for channel in channels)


def named(**texts):
    """Shell words that are true when an event of each part has a text."""
    return "roost events --limit 200 >/tmp/said; " + " && ".join(
        f"grep -qE ' {part.replace('_', '-')} +{text}' /tmp/said" for part, text in texts.items())


def compare(machine):
    """All values that there ever were, by channel: those of the data sheets, and no other."""
    text = machine.run("roost readings --json --limit 10000 2>/dev/null | tr -d '\\\\' | "
                       "sed -nE 's/.*\"channel\":\"([^\"]*)\".*\"value\":([^,}]*).*/\\1 \\2/p' | sort -u", 120)
    found = {}
    for line in text.splitlines():
        channel, value = line.split()
        found.setdefault(channel, set()).add(float(value))
    wrong = {channel: found.get(channel) for channel, value in expected().items() if found.get(channel) != {value}}
    demand(not wrong, f"not as the data sheets say: {wrong}")


def read(lab, machine, bus, other):
    """Each part is recognised as far as a look may, bound by root's service, and read to the digit."""
    said = machine.run("roost bus")
    demand("0x46  this looks like Sensirion SHT40" in said, f"the SHT4x is not recognised by its serial number: {said}")
    demand("0x29  this looks like ams TSL4531" in said, f"the TSL4531 is not recognised: {said}")
    use(lab, machine, bus, {name: address for address, name, _, _ in PARTS.values()})
    use(lab, machine, other, {OTHER: OTHER_ADDRESS})
    wait(machine, fresh(*PARTS, OTHER), 120, "no value of a part on the bus")
    said = machine.run(f"roost bus use {DIRECT_ADDRESS:#x} --bus {bus} --as sensirion-sht3x-direct")
    demand("read without a driver" in said, f"the second SHT3x is not used: {said}")
    wait(machine, fresh(DIRECT), 120, "no value of a part without a driver")
    compare(machine)
    for channel, value in expected().items():
        lab.figure(f"{channel} by the station, as its data sheet has it", value)


def wait(machine, condition, limit, what):
    """The seconds until the condition is true; else what the station says goes into the transcript."""
    try:
        return machine.wait(condition, limit, what)
    except Failed:
        keep(machine, "roost events --limit 60; dmesg | tail -n 20")
        raise


def goes_on(machine, *parts):
    wait(machine, fresh(*parts), 60, f"the fault of another part holds up one of {', '.join(parts)}")


def back(lab, machine, what, *parts):
    """Waits until the parts measure again, which had no value for longer than ten seconds."""
    seconds = wait(machine, fresh(*parts), 180, f"no value after the end: {what}")
    demand(seconds <= BACK_SECONDS, f"{what}: back only after {seconds} s")
    lab.figure(f"{what}: end to value", f"{seconds} s")


def damage(lab, machine):
    """A wrong checksum is no value, where the driver looks at it: that of SHT3x in Linux does not."""
    change(machine, damaged="0x44,0x45,0x46")
    seconds = wait(machine, named(sht4x="sensor not answering .*sends damaged data", sht3x_2="sensor not answering .*a checksum is wrong"),
                           240, "a part with wrong checksums is not named")
    lab.figure("wrong checksums: named", f"{seconds} s")
    reads_on = machine.run(f"for turn in 1 2 3; do if {fresh('sht3x')}; then exit 0; fi; sleep 1; done; exit 1", check=False)[0] == 0
    lab.figure("wrong checksums: the kernel's sht3x", "reads on: it does not look at them" if reads_on else "no value")
    goes_on(machine, "bh1750", OTHER)
    change(machine, damaged="0")
    back(lab, machine, "wrong checksums", "sht4x", DIRECT)


def lose(lab, machine):
    """A part that acknowledges nothing is named, and the others go on."""
    change(machine, gone="0x44,0x23")
    text = "sensor not answering .*does not acknowledge"
    seconds = wait(machine, named(sht3x=text, bh1750=text), 240, "a part that is gone is not named")
    lab.figure("gone: named", f"{seconds} s")
    goes_on(machine, "sht4x", DIRECT, OTHER)
    change(machine, gone="0")
    back(lab, machine, "gone", "sht3x", "bh1750")


def hang(lab, machine, bus):
    """A bus of which each transfer ends with a time-out: its parts are named, a part on another bus goes on."""
    change(machine, hangs=1)
    hung = [part for part in (*PARTS, DIRECT) if part != STUBBORN]
    seconds = wait(machine, named(**{part.replace("-", "_"): "device unusable .*bus hangs" for part in hung}), 300,
                           "a part on a bus that hangs is not named")
    lab.figure(f"bus hangs: all {len(hung)} parts named", f"{seconds} s")
    demand("its bus hangs" in machine.run("roost devices"), "roost devices does not say that the bus hangs")
    status, said = machine.run("roost bus", check=False)
    demand("hangs" in said, f"roost bus does not say that i2c-{bus} hangs: {status}, {said}")
    goes_on(machine, OTHER)
    change(machine, hangs=0)
    back(lab, machine, "bus hangs", *hung)


def bind_anew(lab, machine, bus):
    """The ADS1115: its driver keeps a failure of its power management as errno 22; bound anew, as the guide says, it measures."""
    if machine.run(f"sleep 5; {fresh(STUBBORN)}", check=False)[0] == 0:
        lab.figure(f"bus hangs: {STUBBORN}", "back by itself")
        return
    said = machine.run("roost devices; roost events --limit 40")
    demand("in_voltage0 fails: its driver refuses" in said, f"{STUBBORN} is silent for another reason: {said}")
    address = PARTS[STUBBORN][0]
    machine.run(f"roost bus forget {address:#x} --bus {bus}", 120, check=False)
    wait(machine, f"[ ! -e {driver(bus, address)} ]", 120, f"the driver of {STUBBORN} is not taken away")
    bind(machine, bus, PARTS[STUBBORN][1], address)
    seconds = wait(machine, fresh(STUBBORN), 120, f"{STUBBORN} gives no value after it was bound anew")
    lab.figure(f"bus hangs: {STUBBORN}", f"errno 22 until it is bound anew; then a value after {seconds} s")

"""The case of sensors on the header: real drivers of the kernel over a bus without parts."""

import math

from bench import Skipped, case, demand, install, journal

# Registers as the data sheets' worked examples have them, by address. The part is i2c-stub's.
CALIBRATION = (27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000)
HUMIDITY = {"H1": 75, "H2": 362, "H3": 0, "H4": 324, "H5": 50, "H6": 30}
RAW_HUMIDITY = 30000
WELL = {0xF7: 0x65, 0xF8: 0x5A, 0xF9: 0xC0, 0xFA: 0x7E, 0xFB: 0xED, 0xFC: 0x00}
NAMES = {"bme280": 0x76, "lm75": 0x48, "tmp102": 0x49}
STATION = '{ "name": "lab", "mode": "live", "store": { "megabytes": 16 } }\n'


@case
def header(lab):
    """Debian's own drivers of BME280, LM75 and TMP102, bound by roost-bus.service: found, read to the digit, unbound, bound at a start."""
    with lab.machine() as machine:
        addresses = ",".join(hex(address) for address in NAMES.values())
        machine.run(f"modprobe i2c-dev && modprobe i2c-stub chip_addr={addresses}")
        bus = bus_number(machine, "stub")
        fill(machine, bus)
        prepare(machine)
        look(lab, machine, bus)
        use(lab, machine, bus, NAMES)
        machine.wait("roost status | grep -q 'tmp102/temperature .* °C'", 90, "no value of a part on the bus")
        machine.wait("roost status | grep -q 'bme280/humidity .* %'", 90, "no value of the BME280")
        expected = {"bme280/temperature": "25.08", "bme280/pressure": "1006.53",
                    "bme280/humidity": f"{humidity():.2f}", "lm75/temperature": "25.5",
                    "tmp102/temperature": "-0.5"}
        for channel, value in expected.items():
            found = values(machine, channel)
            demand(found == {float(value)}, f"{channel} is {found}, and the data sheet says {value}")
            lab.figure(f"{channel} by the station, as the data sheet's example", value)
        lose(lab, machine, bus)
        lie(machine, bus)
        refuse(machine, bus)
        start_again(lab, machine, bus)
        journal(lab, machine)
        keep(machine, "roost bus; journalctl --no-pager -u roost-bus; roost events --limit 60")


@case
def wire(lab):
    """Debian's own driver of the DS18B20 on a 1-wire bus with simulated parts: found by number, read to the digit, explained when one goes."""
    with lab.machine() as machine:
        # The kernel looks for parts each second, and forgets one that it has missed twice.
        machine.run("modprobe wire timeout=1 slave_ttl=2 && modprobe w1_therm")
        if machine.run("modprobe w1-sim raw=401,-162 present=3", check=False)[0] != 0:
            raise Skipped("no module w1-sim: see build/modules.log in .build-lab/guest")
        prepare(machine)
        first, second = "ds18b20", "ds18b20-2"
        machine.wait(f"roost status | grep -q '{second}/temperature .* °C'", 120, "no value of the second part")
        for name, value in ((first, 25.06), (second, -10.13)):
            demand(values(machine, f"{name}/temperature") == {value}, f"{name}: {values(machine, f'{name}/temperature')}, not {value}")
            lab.figure(f"{name} by the station, as the data sheet's example", value)
        simulate(machine, "w1_sim", present=1)
        seconds = machine.wait(f"roost devices | grep -E '{second} +.*absent|absent.* {second}'", 60, "a part that is gone is not missed")
        lab.figure("off the bus to missed", f"{seconds} s")
        simulate(machine, "w1_sim", present=3)
        seconds = machine.wait(f"roost status | grep -E '{second}/temperature .* °C +[0-4]\\.[0-9] s ago'", 90, "no value after the part is back")
        lab.figure("on the bus to value", f"{seconds} s")
        demand("unplugged" in machine.run("roost ledger").lower(), "the ledger does not say unplugged")
        # A damaged checksum, and what a part says that lost its power while it measured: no value, and named.
        simulate(machine, "w1_sim", damaged=1, raw="401,1360")
        machine.wait(f"roost events --limit 60 | grep '{first} .*not answering'", 240, "a damaged part is not named")
        machine.wait(f"roost events --limit 60 | grep '{second} .*not answering'", 240, "a part without power is not named")
        demand(values(machine, f"{second}/temperature") == {-10.13}, "85 degrees after power-on were taken for a value")
        simulate(machine, "w1_sim", damaged=0, raw="401,-162")
        machine.wait(f"roost status | grep -E '{first}/temperature .* °C +[0-9.]+ s ago'", 400, "no value after the part is well")
        journal(lab, machine)
        keep(machine, "roost events --limit 60")


def prepare(machine):
    """Installs and starts a station without a line of configuration; a debug build has libraries of its own."""
    machine.run("[ ! -d /lab/lib ] || { echo /lab/lib >/etc/ld.so.conf.d/lab.conf; ldconfig; }")
    install(machine, STATION)


def keep(machine, commands):
    """Has what the station says at the end in the transcript; five programs of a debug build may need a minute."""
    machine.run(f"roost devices; roost ledger; roost status; {commands}", 300)


def bus_number(machine, name):
    return machine.run(f"i2cdetect -l | awk '/{name}/ {{ sub(\"i2c-\", \"\", $1); print $1; exit }}'").strip()


def simulate(machine, module, **parameters):
    """Changes what the parts of a module of ours do, at once."""
    machine.run(" && ".join(f"echo '{value}' >/sys/module/{module}/parameters/{name}" for name, value in parameters.items()))


def values(machine, channel):
    found = machine.run(f"roost readings --json --limit 4000 --channel {channel} 2>/dev/null | grep -o '\"value\":[^,}}]*' | sort -u")
    return {float(text.split(":")[1]) for text in found.split()}


def put(machine, bus, address, registers):
    machine.run(" && ".join(f"i2cset -f -y {bus} {address:#x} {register:#x} {value:#x} b"
                            for register, value in registers.items()))


def fill(machine, bus):
    registers = {0xD0: 0x60, 0xF3: 0x00, 0xFD: RAW_HUMIDITY >> 8, 0xFE: RAW_HUMIDITY & 255, **WELL}
    for index, value in enumerate(CALIBRATION):
        registers[0x88 + 2 * index], registers[0x89 + 2 * index] = value & 255, value >> 8 & 255
    h = HUMIDITY
    registers.update({0xA1: h["H1"], 0xE1: h["H2"] & 255, 0xE2: h["H2"] >> 8, 0xE3: h["H3"],
                      0xE4: h["H4"] >> 4, 0xE5: h["H4"] & 15 | (h["H5"] & 15) << 4, 0xE6: h["H5"] >> 4,
                      0xE7: h["H6"]})
    put(machine, bus, NAMES["bme280"], registers)
    # 25.5 and -0.5 degrees: nine bits, and thirteen in the mode that the driver sets, from the top, the high byte first.
    machine.run(f"i2cset -y {bus} 0x48 0 0x8019 w && i2cset -y {bus} 0x49 0 0xc0ff w && i2cset -y {bus} 0x49 1 0xa060 w")


def humidity():
    """Bosch's formula in double precision, BST-BME280-DS001, section 8.1."""
    h, t = HUMIDITY, CALIBRATION
    raw = 519888
    var1 = (raw / 16384 - t[0] / 1024) * t[1]
    var2 = (raw / 131072 - t[0] / 8192) ** 2 * t[2]
    fine = math.trunc(var1 + var2)
    value = fine - 76800
    value = ((RAW_HUMIDITY - (h["H4"] * 64 + h["H5"] / 16384 * value))
             * (h["H2"] / 65536 * (1 + h["H6"] / 67108864 * value * (1 + h["H3"] / 67108864 * value))))
    return min(max(value * (1 - h["H1"] * value / 524288), 0), 100)


def look(lab, machine, bus):
    """What a look says of parts that no driver has, as the user of the station, within its unit."""
    said = machine.run("roost bus")
    demand("0x76  this looks like Bosch BME280" in said, f"the BME280 is not recognised: {said}")
    demand("0x48  something answers; parts with this address: " in said, f"0x48 is not seen: {said}")
    demand(f"i2c-{bus}" in said and "dtoverlay=w1-gpio" in said, f"what is missing in: {said}")
    lab.figure("a look at all buses", machine.run("bash -c 'time -p roost bus' 2>&1 | awk '/^real/ { print $2 \" s\" }'").strip())


def driver(bus, address):
    """The link that a part has in sysfs while a driver of the kernel has it."""
    return f"/sys/bus/i2c/devices/{bus}-00{address:02x}/driver"


def bind(machine, bus, name, address):
    status, said = machine.run(f"roost bus use {address:#x} --bus {bus} --as {name}", 120, check=False)
    if status != 0 and "nothing on this computer has carried the list out" in said:
        # The station waits for 15 s, which may be too short on a loaded machine; root's service goes on.
        machine.wait(f"[ -e {driver(bus, address)} ]", 120, f"{name} is not bound: {said}")
        return
    demand("has the kernel's driver" in said, f"{name} is not bound: {said}\n{machine.run('journalctl --no-pager -u roost-bus -n 20')}")


def use(lab, machine, bus, addresses):
    """By the station's list and the service of root, and in no other way; `addresses` by the kernel's name of the part."""
    for name, address in addresses.items():
        bind(machine, bus, name, address)
    # The first time counts: one that was taken off may be bound again.
    lab.figures.setdefault(f"parts bound by roost-bus.service on i2c-{bus}", len(addresses))
    demand(machine.run("stat -c '%U %a' /run/roost-bus/result").split() == ["root", "644"], "the result is not root's")


def refuse(machine, bus):
    """A list that the user of the station wrote with a wrong line: root refuses it by name, and binds nothing of it."""
    machine.run(f"cp -p /var/lib/roost/bus/parts /tmp/parts && echo '{bus} 0x50 24c02' >>/var/lib/roost/bus/parts && echo 'x; reboot' >>/var/lib/roost/bus/parts"
                " && systemctl start roost-bus.service")
    said = machine.run("journalctl --no-pager -o cat -u roost-bus -n 20")
    demand(f"{bus} 0x50 24c02: unknown" in said and "refused, as it is no part: x; reboot" in said, f"a wrong list is not refused: {said}")
    demand(machine.run(f"test ! -e /sys/bus/i2c/devices/{bus}-0050 && echo none").strip() == "none", "root bound what no profile knows")
    machine.run("cp -p /tmp/parts /var/lib/roost/bus/parts && systemctl start roost-bus.service")


def start_again(lab, machine, bus):
    """At a start nothing is bound; the service binds the list again before anybody asks."""
    for address in NAMES.values():
        machine.run(f"echo {address:#x} >/sys/bus/i2c/devices/i2c-{bus}/delete_device")
    machine.run("rm -f /run/roost-bus/result && systemctl restart roost-bus.service")
    for name, address in NAMES.items():
        demand(machine.run(f"basename $(readlink {driver(bus, address)})").strip(), f"{name} has no driver after a start")
    machine.wait("roost status | grep -E 'bme280/temperature .* °C +[0-4]\\.[0-9] s ago'", 60, "no value after a start")


def lose(lab, machine, bus):
    """The driver is unbound and bound again: the same name, and the time between is explained."""
    said = machine.run(f"roost bus forget 0x76 --bus {bus}")
    demand("not used any more" in said, f"the BME280 is not forgotten: {said}")
    seconds = machine.wait("roost devices | grep -E 'bme280 +.*absent|absent.* bme280'", 30, "a part that is gone is not missed")
    lab.figure("unbound to missed", f"{seconds} s")
    use(lab, machine, bus, {"bme280": NAMES["bme280"]})
    seconds = machine.wait("roost status | grep -E 'bme280/temperature .* °C +[0-4]\\.[0-9] s ago'", 60,
                           "no value after the part is back")
    lab.figure("bound to value", f"{seconds} s")
    demand("unplugged" in machine.run("roost ledger").lower(), "the ledger does not say unplugged")


def lie(machine, bus):
    """A BME280 that lost its power answers with the values after a reset: no data, and no temperature."""
    put(machine, bus, NAMES["bme280"], {0xFA: 0x80, 0xFB: 0x00, 0xFC: 0x00})
    machine.wait("roost events --limit 40 | grep 'bme280.*not answering'", 120, "a part with values after a reset is not named")
    found = values(machine, "bme280/temperature")
    demand(found == {25.08}, f"a reset made a value: {found}")
    put(machine, bus, NAMES["bme280"], WELL)
    machine.wait("roost status | grep -E 'bme280/temperature .* °C +[0-4]\\.[0-9] s ago'", 400, "no value after the part is well")

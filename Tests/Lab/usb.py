"""The cases of USB: adapters plugged, pulled out, swapped and renumbered under real udev."""

from adapter import Adapter
from bench import (PORT, PORT_2, case, configuration, demand, dust, has_value, install, journal,
                   show)
from ch340 import CH340


@case
def usb(lab):
    """Real udev and our rules: pulled out mid-frame, put back, renumbered, moved, two at once."""
    with lab.machine(usb=(Adapter.device, Adapter.device)) as machine:
        first = Adapter(lab.sensor("--air", "12.3/45.6"), machine.adapter_path(0))
        install(machine, configuration(dust(), dust(PORT_2, "second")))
        # Nothing was plugged in, so no driver of an adapter was loaded, when the unit started.
        first.plug()
        lab.figure("plug to value", f"{machine.wait(has_value(), 60, 'no value after a plug')} s")
        machine.run("ls -lL /dev/roost/; ls -l /dev/roost/; udevadm info /dev/ttyUSB0")
        machine.run("[ $(stat -c %G:%a /dev/ttyUSB0) = dialout:660 ] && "
                    "udevadm info /dev/ttyUSB0 | grep -q ID_MM_PORT_IGNORE=1 && "
                    f"[ $(readlink -f {PORT}) = /dev/ttyUSB0 ]")
        pull_in_frame(lab, machine, first)
        renumber(lab, machine, first)
        storm(lab, machine, first)
        second = Adapter(lab.sensor(), machine.adapter_path(1))
        second.plug()
        machine.wait(has_value("second/pm25"), 60, "no value of the second adapter")
        machine.wait(has_value(), 60, "the first adapter is disturbed by the second")
        second.unplug()
        first.unplug()
        move(machine, first)
        journal(lab, machine)
        machine.run("roost devices; roost ledger; roost events --limit 60")


def pull_in_frame(lab, machine, adapter):
    adapter.unplug(in_frame=True)
    seconds = machine.wait("roost status | grep -qi unplugged", 20, "unplugging is not noticed")
    lab.figure("pulled out to unplugged", f"{seconds} s")
    machine.run("sleep 2")
    adapter.plug()
    machine.wait(has_value(), 60, "no value after the plug is back")
    demand("unplugged" in machine.run("roost ledger").lower(), "the ledger does not say unplugged")
    text = machine.run("roost readings --json --limit 10000 --channel dust/pm25 2>/dev/null | "
                       "grep -o '\"value\":[^,}]*' | sort -u")
    demand(text.split() == ['"value":"12.3"'], f"half a frame made a value: {text}")


def renumber(lab, machine, adapter):
    """Somebody holds the old number while the adapter comes back."""
    machine.run("(exec 3<>/dev/ttyUSB0; sleep 3) & sleep 0.5", check=False)
    adapter.unplug()
    machine.run("sleep 0.5")
    adapter.plug()
    machine.wait(has_value(), 60, "no value after renumbering")
    machine.run(f"ls -l /dev/roost/; readlink -f {PORT}")


def storm(lab, machine, adapter, turns=20):
    process = show(machine, "MainPID")["MainPID"]
    descriptors = f"ls /proc/{process}/fd | wc -l"
    before = int(machine.run(descriptors))
    for turn in range(turns):
        adapter.unplug(in_frame=turn % 3 == 0)
        machine.run(f"until [ ! -e {PORT} ]; do sleep 0.05; done")
        adapter.plug()
        machine.run(f"until [ -e {PORT} ]; do sleep 0.05; done")
    machine.wait(has_value(), 60, f"no value after {turns} plugs")
    demand(show(machine, "MainPID,NRestarts") == {"MainPID": process, "NRestarts": "0"},
           "the station was restarted")
    after = int(machine.run(descriptors))
    lab.figure(f"descriptors before and after {turns} plugs", f"{before}, {after}")
    demand(after <= before, f"{after - before} descriptors leaked")


def move(machine, adapter):
    """In another socket it is what the configuration says of that socket."""
    machine.ask("device_del", id="adapter1")
    demand(machine.event("DEVICE_DELETED", 20) is not None, "QEMU keeps the second adapter")
    machine.move(0, 2)
    adapter.plug()
    machine.wait(has_value("second/pm25"), 60, "no value after the adapter moved")


def found(machine):
    """What detection says of each adapter, by name."""
    report = machine.ask_roost("devices")
    return {entry.get("name"): entry for entry in report["found"]}


def live(name, value):
    """Shell words that are true when a found sensor says this value now."""
    return f"roost status | grep -E '{name}/pm25 +{value} µg/m³ +[0-4]\\.[0-9] s ago'"


@case
def ch340(lab):
    """Two CH340 without serial numbers or configuration: found, swapped, plugged 100 times."""
    with lab.machine(usb=(CH340.device, CH340.device)) as machine:
        sensors = [lab.sensor("--id", "0A01", "--air", "11.1/21.1"),
                   lab.sensor("--id", "0B02", "--air", "12.2/22.2")]
        adapters = [CH340(sensor, machine.adapter_path(index))
                    for index, sensor in enumerate(sensors)]
        install(machine, '{ "name": "lab", "mode": "live", "store": { "megabytes": 16 } }\n')
        adapters[0].plug()
        machine.wait("roost status | grep -E 'pm25 +11.1 '", 90, "the first is not found")
        told = machine.run("udevadm info /dev/ttyUSB0; ls -l /dev/roost")
        demand("1a86" in told and "ID_SERIAL_SHORT" not in told and "=ch341" in told,
               "not a CH340 without a serial number")
        machine.run("[ $(stat -c %G:%a /dev/ttyUSB0) = dialout:660 ]")
        adapters[1].plug()
        machine.wait("roost status | grep -E 'pm25 +12.2 '", 90, "the second is not found")
        names = {entry["identity"][-4:]: name for name, entry in found(machine).items()}
        demand(set(names) == {"0A01", "0B02"}, f"not known by their ids: {names}")
        first, second = live(names["0A01"], "11.1"), live(names["0B02"], "12.2")
        swap(machine, adapters, sensors)
        machine.wait(first, 90, "the first is not itself in the other socket")
        machine.wait(second, 90, "the second is not itself in the other socket")
        plug_often(lab, machine, adapters)
        machine.wait(first, 120, "the first is not itself after 100 plugs")
        machine.wait(second, 120, "the second is not itself after 100 plugs")
        demand({entry["identity"][-4:]: name for name, entry in found(machine).items()} == names,
               "another name after 100 plugs")
        nothing_mixed(machine, names)
        journal(lab, machine)


def swap(machine, adapters, sensors):
    """Both out, each sensor into the other's socket."""
    for adapter in adapters:
        adapter.unplug()
    machine.run("until [ ! -e /dev/ttyUSB0 ] && [ ! -e /dev/ttyUSB1 ]; do sleep 0.05; done")
    adapters[0].sensor, adapters[1].sensor = sensors[1], sensors[0]
    for adapter in adapters:
        adapter.plug()


def plug_often(lab, machine, adapters, turns=100):
    """Adapters out and in by turns, some in mid-frame, some before they were looked at."""
    process = show(machine, "MainPID")["MainPID"]
    descriptors = f"ls /proc/{process}/fd | wc -l"
    before = int(machine.run(descriptors))
    for turn in range(turns):
        adapter = adapters[turn % 2]
        adapter.unplug()
        machine.run("until [ $(ls -d /dev/ttyUSB* | wc -l) = 1 ]; do sleep 0.05; done")
        adapter.plug()
        machine.run("until [ $(ls -d /dev/ttyUSB* | wc -l) = 2 ]; do sleep 0.05; done")
    machine.wait("[ $(roost status | grep -cE 'pm25 .* µg/m³ +[0-4]\\.[0-9] s ago') = 2 ]", 300,
                 f"not both sampling after {turns} plugs")
    demand(show(machine, "MainPID,NRestarts") == {"MainPID": process, "NRestarts": "0"},
           "the station was restarted")
    after = int(machine.run(descriptors))
    lab.figure(f"descriptors before and after {turns} plugs", f"{before}, {after}")
    demand(after <= before, f"{after - before} descriptors leaked")


def nothing_mixed(machine, names):
    """No sensor's value under another's name, and each absence explained."""
    for identity, value in (("0A01", "11.1"), ("0B02", "12.2")):
        text = machine.run(f"roost readings --json --channel {names[identity]}/pm25 | "
                           "grep -o '\"value\":[^,}]*' | sort -u")
        demand(text.split() == [f'"value":"{value}"'], f"values of {names[identity]}: {text}")
    machine.run("roost readings; roost devices; roost events --limit 1000")
    ledger = machine.run("roost ledger")
    demand("unplugged" in ledger.lower(), "the ledger does not say unplugged")
    demand("unexplained" not in ledger.lower(), "the ledger has unexplained minutes")
    machine.run("roost devices; roost events --limit 60")

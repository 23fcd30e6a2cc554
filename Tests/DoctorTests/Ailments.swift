import Profiles

@testable import Doctor

/// Ailments of machines, one at least for each check.
enum Ailments {
    static let all = ports + pins + health + card + station + courier + camera + image

    private static let ports = [
        Ailment(
            check: "serial-access",
            verdict: .failure,
            words: "for the group dialout",
            next: "sudo usermod -aG dialout pi"
        ) {
            $0.user = DoctorUser(name: "pi", isRoot: false, groups: ["gpio"])
            $0.nodes["/dev/ttyUSB0"]?.mayUse = false
        },
        Ailment(
            check: "serial-access",
            verdict: .failure,
            words: "only root may, mode 0600",
            next: "sudo roost profiles rules --write"
        ) {
            $0.nodes["/dev/ttyUSB0"] = DoctorNode(
                path: "/dev/ttyUSB0",
                group: "root",
                mode: "0600",
                mayUse: false
            )
        },
        Ailment(
            check: "serial-present",
            verdict: .warning,
            words: "dust is to be at /dev/serial",
            next: "set `port` of dust"
        ) { $0.links[MadeUpMachine.dust] = "../../ttyUSB7" },
        Ailment(
            check: "serial-holders",
            verdict: .failure,
            words: "minicom (pid 77) has /dev/ttyUSB0 open",
            next: "sudo kill 77"
        ) { $0.holders["/dev/ttyUSB0"] = "minicom (pid 77)" },
        Ailment(
            check: "serial-twins",
            verdict: .note,
            words: "/dev/ttyUSB0 and /dev/ttyUSB1 are alike (1a86:7523)",
            next: "leave each"
        ) { $0.putAdapter("ttyUSB1", at: "1-1.4", port: "ttyUSB1") },
        Ailment(
            check: "serial-twins",
            verdict: .warning,
            words: "have no serial number",
            next: "in place of /dev/ttyUSB0"
        ) {
            $0.putAdapter("ttyUSB1", at: "1-1.4", port: "ttyUSB1")
            $0.replace(MadeUpMachine.dust, "/dev/ttyUSB0", in: "/etc/roost/roost.json")
        },
        Ailment(
            check: "serial-console",
            verdict: .note,
            words: "its console on ttyS0",
            next: "/boot/firmware/cmdline.txt && sudo reboot"
        ) { $0.files["/proc/cmdline"] = "console=ttyS0,115200 console=tty1\n" },
        Ailment(
            check: "serial-console",
            verdict: .failure,
            words: "where dust is",
            next: "cmdline.txt",
            model: Boards.five
        ) {
            $0.files["/proc/cmdline"] = "console=ttyAMA10,115200 console=ttyAMA0,115200\n"
            $0.replace(MadeUpMachine.dust, "/dev/ttyAMA0", in: "/etc/roost/roost.json")
            $0.files["/dev/ttyAMA0"] = ""
        },
        Ailment(
            check: "brltty",
            verdict: .failure,
            words: "85-brltty.rules claims adapters",
            next: "sudo apt-get remove brltty",
            others: ["udev-rules"]
        ) {
            $0.files["/usr/bin/brltty"] = ""
            $0.files["/usr/lib/udev/rules.d/85-brltty.rules"] =
                "ENV{PRODUCT}==\"1a86/7523/*\", ENV{BRLTTY_BRAILLE_DRIVER}=\"bm\"\n"
            $0.files["/etc/udev/rules.d/\(UdevRule.braillePath)"] = nil
        },
        Ailment(
            check: "modem-manager",
            verdict: .warning,
            words: "no rule keeps it away",
            next: "disable --now ModemManager",
            others: ["udev-rules"]
        ) {
            $0.files["/proc/555/comm"] = "ModemManager\n"
            $0.files["/etc/udev/rules.d/70-nova-sds011.rules"] = nil
        },
        Ailment(
            check: "udev-rules",
            verdict: .warning,
            words: "1 of 8 udev rules",
            next: "sudo roost profiles rules --write /etc/udev/rules.d"
        ) { $0.files["/etc/udev/rules.d/70-nova-sds011.rules"] = "# old\n" },
        Ailment(
            check: "udev-daemon",
            verdict: .warning,
            words: "udevd does not run",
            next: "sudo systemctl restart systemd-udevd"
        ) { $0.files["/proc/300/comm"] = nil },
    ]

    private static let pins = [
        Ailment(
            check: "pin-access",
            verdict: .failure,
            words: "/dev/gpiochip0 (group gpio",
            next: "sudo usermod -aG gpio pi",
            others: ["pin-chip", "pin-names", "pin-holders"]
        ) {
            let node = DoctorNode(
                path: "/dev/gpiochip0",
                group: "gpio",
                mode: "0660",
                mayUse: false
            )
            $0.chips = [DoctorChip(node: node)]
        },
        Ailment(
            check: "pin-chip",
            verdict: .failure,
            words: "has its header on pinctrl-bcm2711",
            next: "full-upgrade",
            others: ["pin-names"]
        ) { $0.chips?[0].label = "raspberrypi-exp-gpio" },
        Ailment(
            check: "pin-chip",
            verdict: .failure,
            words: "lights wants the chip gpiochip4",
            next: "set `chip` of lights to \"pinctrl-rp1\"",
            model: Boards.five,
            others: ["pin-holders"]
        ) {
            $0.replace(
                "\"lights\": {}",
                "\"lights\": { \"chip\": \"gpiochip4\" }",
                in: "/etc/roost/roost.json"
            )
        },
        Ailment(
            check: "pin-names",
            verdict: .warning,
            words: "1 of the header's lines have no name",
            next: "by its offset",
            model: Boards.three
        ) { machine in
            machine.chips?[0].lines.removeAll { $0.name == "GPIO26" }
        },
        Ailment(
            check: "pin-holders",
            verdict: .failure,
            words: "and w1 holds it",
            next: "stop w1",
            model: Boards.zero
        ) { $0.hold("GPIO17", by: "w1") },
        Ailment(
            check: "pin-holders",
            verdict: .failure,
            words: "bell wants GPIO27, and gpio-keys holds it",
            next: "stop gpio-keys"
        ) { $0.hold("GPIO27", by: "gpio-keys") },
        Ailment(
            check: "pin-holders",
            verdict: .failure,
            words: "alive wants GPIO22, and leds-gpio holds it",
            next: "stop leds-gpio"
        ) { $0.hold("GPIO22", by: "leds-gpio") },
        Ailment(
            check: "pin-holders",
            verdict: .failure,
            words: "lights wants GPIO11, and no chip",
            next: "gpioinfo",
            others: ["pin-names"]
        ) { machine in
            machine.chips?[0].lines.removeAll { $0.name == "GPIO11" }
        },
        Ailment(
            check: "spi",
            verdict: .failure,
            words: "SPI is on (/dev/spidev0.0)",
            next: "dtparam=spi=off"
        ) { $0.files["/dev/spidev0.0"] = "" },
        Ailment(
            check: "spi",
            verdict: .failure,
            words: "config.txt turns SPI on",
            next: "s/^dtparam=spi=on/dtparam=spi=off/"
        ) { $0.files["/boot/firmware/config.txt"] = "dtparam=spi=on\n" },
        Ailment(check: "spi", verdict: .note, words: "no configured line needs them", next: "") {
            $0.files["/dev/spidev0.0"] = ""
            $0.replace("\"lights\": {},", "", in: "/etc/roost/roost.json")
        },
        Ailment(
            check: "gpio-kernel",
            verdict: .note,
            words: "becomes gpiochip0 with 6.6.45",
            next: "",
            model: Boards.five
        ) { $0.files["/proc/sys/kernel/osrelease"] = "6.6.31+rpt-rpi-2712\n" },
        Ailment(
            check: "gpio-kernel",
            verdict: .failure,
            words: "wants a kernel of 5.10",
            next: "full-upgrade"
        ) { $0.files["/proc/sys/kernel/osrelease"] = "5.4.83-v7l+\n" },
    ]

    private static let health = [
        Ailment(
            check: "under-voltage",
            verdict: .failure,
            words: "below 4.63 V",
            next: "5.1 V",
            model: Boards.three
        ) { $0.files["/sys/class/hwmon/hwmon1/in0_lcrit_alarm"] = "1\n" },
        Ailment(
            check: "usb-power",
            verdict: .warning,
            words: "may suspend /dev/ttyUSB0",
            next: "ATTR{idVendor}==\"1a86\""
        ) { $0.files["/sys/devices/usb1/1-1.3/power/control"] = "auto\n" },
        Ailment(
            check: "wifi-radio",
            verdict: .warning,
            words: "(phy0) is switched off by a program (rfkill), and no cable",
            next: "sudo rfkill unblock wifi"
        ) { $0.files["/sys/class/rfkill/rfkill0/soft"] = "1\n" },
        Ailment(
            check: "wifi-radio",
            verdict: .warning,
            words: "by a switch of the machine",
            next: "switch it on at the machine"
        ) { $0.files["/sys/class/rfkill/rfkill0/hard"] = "1\n" },
        Ailment(
            check: "wifi-radio",
            verdict: .note,
            words: "the network comes by cable",
            next: "sudo rfkill unblock wifi"
        ) { machine in
            machine.files["/sys/class/rfkill/rfkill0/soft"] = "1\n"
            machine.files["/sys/class/net/eth0/carrier"] = "1\n"
            machine.files["/sys/class/net/eth0/device/uevent"] = "DRIVER=bcmgenet\n"
        },
        Ailment(check: "temperature", verdict: .warning, words: "82.4 °C", next: "heat sink") {
            $0.files["/sys/class/thermal/thermal_zone0/temp"] = "82400\n"
        },
        Ailment(
            check: "watchdog",
            verdict: .failure,
            words: "no watchdog device",
            next: "dtparam=watchdog=on",
            model: Boards.zero
        ) { machine in
            for path in machine.files.keys where path.contains("/watchdog0/") {
                machine.files[path] = nil
            }
        },
        Ailment(
            check: "watchdog",
            verdict: .warning,
            words: "not armed",
            next: "sudo roostd"
        ) { $0.files["/sys/class/watchdog/watchdog0/state"] = "inactive\n" },
        Ailment(
            check: "watchdog",
            verdict: .warning,
            words: "armed with 60 s, more than",
            next: "RuntimeWatchdogSec=14s"
        ) { $0.files["/sys/class/watchdog/watchdog0/timeout"] = "60\n" },
        Ailment(
            check: "watchdog-settings",
            verdict: .failure,
            words: "only one can have it",
            next: "remove \"watchdog\" from /etc/roost/roost.json"
        ) { $0.files["/etc/systemd/system.conf.d/w.conf"] = "[Manager]\nRuntimeWatchdogSec=14\n" },
        Ailment(
            check: "watchdog-settings",
            verdict: .warning,
            words: "more than the hardware's 15",
            next: "RuntimeWatchdogSec=14s"
        ) {
            $0.files["/etc/systemd/system.conf"] = "[Manager]\nRuntimeWatchdogSec=1min\n"
            $0.replace(", \"watchdog\": {}", "", in: "/etc/roost/roost.json")
        },
        Ailment(
            check: "watchdog-settings",
            verdict: .failure,
            words: "before 6.8 the kernel refuses that",
            next: "RuntimeWatchdogSec=14s"
        ) {
            $0.files["/etc/systemd/system.conf"] = "[Manager]\nRuntimeWatchdogSec=1min\n"
            $0.files["/proc/sys/kernel/osrelease"] = "6.6.51+rpt-rpi-v8\n"
            $0.replace(", \"watchdog\": {}", "", in: "/etc/roost/roost.json")
        },
        Ailment(
            check: "clock",
            verdict: .warning,
            words: "not been set since this boot",
            next: "timesync-status"
        ) {
            $0.isSynchronised = false
            $0.files["/run/systemd/timesync/synchronized"] = nil
        },
        Ailment(
            check: "clock",
            verdict: .warning,
            words: "installed and does not run",
            next: "set-ntp true"
        ) {
            $0.isSynchronised = false
            $0.files["/proc/310/comm"] = nil
        },
        Ailment(
            check: "clock-keeper",
            verdict: .warning,
            words: "says 1970-01-01",
            next: "hwclock",
            model: Boards.five
        ) { $0.files["/sys/class/rtc/rtc0/since_epoch"] = "125\n" },
        Ailment(
            check: "clock-keeper",
            verdict: .warning,
            words: "the clock starts years ago",
            next: "fake-hwclock"
        ) { $0.files["/var/lib/systemd/timesync/clock"] = nil },
        Ailment(
            check: "folders",
            verdict: .warning,
            words: "/sys/class/thermal cannot be read",
            next: "sudo roost doctor",
            others: ["temperature"]
        ) { $0.lose("/sys/class/thermal") },
    ]
}

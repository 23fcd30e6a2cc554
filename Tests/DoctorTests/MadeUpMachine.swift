import ControlProtocol
import Core
import Glibc
import Profiles
import TestSupport
import Testing

@testable import Devices
@testable import Doctor

/// A machine of files and answers, which is healthy until something is changed.
struct MadeUpMachine {
    var files: [String: String] = [:]
    var links: [String: String] = [:]
    var nodes: [String: DoctorNode] = [:]
    var user: DoctorUser? = DoctorUser(
        name: "pi",
        isRoot: false,
        groups: ["dialout", "gpio", "pi"]
    )
    /// Permissions of files, where they matter.
    var modes: [String: UInt32] = ["/etc/roost/secrets/influx": 0o600]
    var mayWrite = true
    var space = DoctorSpace(totalBytes: 30_000_000_000, freeBytes: 20_000_000_000)
    var runSpace = DoctorSpace(totalBytes: 100_000_000, freeBytes: 99_000_000)
    var chips: [DoctorChip]? = []
    var library = "2.2.1"
    var holders: [String: String] = ["/dev/ttyUSB0": "roostd (pid 900)"]
    var answer: DoctorMachine.StationAnswer? = .answers(processID: 900, faults: [])
    var camera: DoctorMachine.CameraAnswer? = .report(Self.eyes)
    var httpTrouble: String?
    var isSynchronised: Bool? = true
    var now: WallTime? = WallTime(nanoseconds: 1_795_219_200_000_000_000)

    static let dust = "/dev/serial/by-path/platform-usb-0:1.3:1.0-port0"
    static let store = "/var/lib/roost"

    /// A Pi with a sensor, lamps and a motion sensor, and a station that runs.
    init(model: String) throws {
        let board = try #require(ProfileCatalog.shipped.board(model: model)?.board)
        let label = try #require(board.gpioChip)
        let isNew = label == "pinctrl-rp1"
        putSystem(model: model, kernel: "6.12.34+rpt-rpi-v8")
        putStation()
        putAdapter("ttyUSB0", at: "1-1.3", port: "ttyUSB0")
        links[Self.dust] = "../../ttyUSB0"
        links["/dev/roost/journal"] = "../mmcblk0p3"
        links["/dev/serial0"] = isNew ? "ttyAMA10" : "ttyS0"
        for (name, text) in UdevRule.files(ProfileCatalog.shipped.profiles) {
            files["/etc/udev/rules.d/\(name)"] = text
        }
        let lines = board.header.values.sorted().enumerated().map { offset, name in
            DoctorChip.Line(offset: offset, name: name, holder: nil)
        }
        let node = DoctorNode(path: "/dev/gpiochip0", group: "gpio", mode: "0660", mayUse: true)
        chips = [DoctorChip(node: node, label: label, lines: lines)]
        if isNew {
            files["/sys/class/rtc/rtc0/name"] = "rpi-rtc soc:rpi_rtc\n"
            files["/sys/class/rtc/rtc0/since_epoch"] = "1795219200\n"
        }
    }

    /// A camera that has taken pictures.
    static var eyes: EyesReport {
        var report = EyesReport(
            version: "1",
            processID: 902,
            uptimeSeconds: 60,
            ring: ("/var/lib/roost-eyes/pictures", 64 << 20, 400),
            retentionDays: 14
        )
        report.pictureCount = 12
        report.newest = .init(number: 12, time: "2026-11-20T03:10:00Z", source: "door")
        return report
    }

    /// A PC without anything of ours.
    static func personalComputer() throws -> MadeUpMachine {
        var machine = try MadeUpMachine(model: "Raspberry Pi 4 Model B")
        machine.files = [
            "/proc/mounts": "/dev/nvme0n1p2 / ext4 rw,relatime 0 0\ntmpfs /run tmpfs rw 0 0\n",
            "/proc/sys/kernel/osrelease": "6.1.0-28-amd64\n", "/proc/1/comm": "systemd\n",
            "/run/udev/control": "", "/proc/300/comm": "systemd-udevd\n",
        ]
        (machine.links, machine.nodes, machine.chips) = ([:], [:], [])
        (machine.answer, machine.camera) = (.absent, .absent)
        return machine
    }

    private mutating func putSystem(model: String, kernel: String) {
        files["/proc/device-tree/model"] = model + "\0"
        files["/proc/sys/kernel/osrelease"] = kernel + "\n"
        files["/proc/1/comm"] = "systemd\n"
        files["/proc/300/comm"] = "systemd-udevd\n"
        files["/proc/310/comm"] = "systemd-timesyn\n"
        files["/proc/cmdline"] = "console=tty1 root=/dev/mmcblk0p2 rootwait\n"
        files["/proc/mounts"] =
            "/dev/mmcblk0p2 / ext4 rw,noatime,errors=remount-ro 0 0\n"
            + "tmpfs /run tmpfs rw,nosuid 0 0\n"
        files["/proc/swaps"] = "Filename\tType\tSize\tUsed\tPriority\n"
        files["/run/udev/control"] = ""
        files["/run/systemd/timesync/synchronized"] = ""
        files["/run/systemd/system/x"] = ""
        files["/usr/lib/systemd/systemd-timesyncd"] = ""
        files["/var/lib/systemd/timesync/clock"] = ""
        files["/etc/systemd/journald.conf.d/volatile.conf"] = "[Journal]\nStorage=volatile\n"
        files["/boot/firmware/config.txt"] = "dtparam=i2c_arm=on\ndtparam=spi=off\n"
        files["/boot/firmware/cmdline.txt"] = "console=tty1\n"
        files["/sys/class/hwmon/hwmon0/name"] = "cpu_thermal\n"
        files["/sys/class/hwmon/hwmon1/name"] = "rpi_volt\n"
        files["/sys/class/hwmon/hwmon1/in0_lcrit_alarm"] = "0\n"
        files["/sys/class/thermal/thermal_zone0/temp"] = "48312\n"
        files["/sys/class/rfkill/rfkill0/type"] = "wlan\n"
        files["/sys/class/rfkill/rfkill0/name"] = "phy0\n"
        files["/sys/class/rfkill/rfkill0/soft"] = "0\n"
        files["/sys/class/rfkill/rfkill0/hard"] = "0\n"
        let watchdog = "/sys/class/watchdog/watchdog0"
        files["\(watchdog)/identity"] = "Broadcom BCM2835 Watchdog timer\n"
        files["\(watchdog)/state"] = "active\n"
        files["\(watchdog)/timeout"] = "15\n"
        let card = "/sys/block/mmcblk0"
        files["\(card)/device/type"] = "MMC\n"
        files["\(card)/device/preferred_erase_size"] = "4194304\n"
        files["\(card)/device/life_time"] = "0x01 0x02\n"
        files["\(card)/device/pre_eol_info"] = "0x01\n"
        files["/dev/mmcblk0p3"] = ""
        files["\(card)/mmcblk0p1/start"] = "8192\n"
        files["\(card)/mmcblk0p3/start"] = "2048\n"
        files["\(card)/mmcblk0p2/start"] = "1056768\n"
    }

    private mutating func putStation() {
        files["/proc/900/comm"] = "roostd\n"
        files["/proc/locks"] = "1: FLOCK  ADVISORY  WRITE 900 00:19:1234 0 EOF\n"
        files["/run/roost/roost.sock.lock"] = "900\n"
        files["\(Self.store)/x"] = ""
        files["/etc/roost/courier.json"] = "{}"
        files["/etc/roost/secrets/influx"] = "hush\n"
        files["/etc/ssl/certs/002c0b4f.0"] = ""
        files["/etc/resolv.conf"] = "nameserver 192.168.1.1\n"
        files["/proc/901/comm"] = "roost-courier\n"
        files["/etc/roost/eyes.json"] = "{}"
        files["/etc/roost/roost.json"] = """
            {
              "devices": [
                { "name": "dust", "type": "sds011", "port": "\(Self.dust)" },
                { "name": "door", "type": "pir", "line": "GPIO17" },
                { "name": "bell", "type": "button", "line": "GPIO27" },
                { "name": "alive", "type": "led", "line": "GPIO22" },
                { "name": "milano", "type": "milano-board", "address": "http://192.168.1.20/" }
              ],
              "lights": {}, "store": { "journal": "auto" }, "watchdog": {}
            }
            """
    }

    /// A CH340 in a socket.
    mutating func putAdapter(_ name: String, at socket: String, port: String, serial: String? = nil)
    {
        let device = "/sys/devices/usb1/\(socket)"
        files["\(device)/idVendor"] = "1a86\n"
        files["\(device)/idProduct"] = "7523\n"
        if let serial { files["\(device)/serial"] = serial + "\n" }
        files["\(device)/power/control"] = "on\n"
        files["\(device)/\(socket):1.0/\(port)/port_number"] = "0\n"
        links["/sys/class/tty/\(name)/device"] =
            "../../../devices/usb1/\(socket)/\(socket):1.0/\(port)"
        files["/dev/\(name)"] = ""
        nodes["/dev/\(name)"] = DoctorNode(
            path: "/dev/\(name)",
            group: "dialout",
            mode: "0660",
            mayUse: true
        )
    }

    /// Makes a line's holder.
    mutating func hold(_ name: String, by holder: String?) {
        guard let index = chips?[0].lines.firstIndex(where: { $0.name == name }) else { return }
        chips?[0].lines[index].holder = holder
    }

    /// Makes a folder one that no user can read: a link to itself.
    mutating func lose(_ folder: String) {
        files = files.filter { !$0.key.hasPrefix(folder + "/") }
        links[folder] = String(folder.split(separator: "/").last ?? "")
    }

    mutating func configure(_ text: String) { files["/etc/roost/roost.json"] = text }

    /// Changes part of a file that is there.
    mutating func replace(_ old: String, _ new: String, in path: String) {
        guard let text = files[path], let range = text.firstRange(of: old) else {
            Issue.record("\(path) has no \(old)")
            return
        }
        files[path] = text.replacingCharacters(in: range, with: new)
    }

    func facts(in tree: MadeUpTree) throws -> DoctorFacts {
        try tree.put(files, links)
        for (path, mode) in modes where files[path] != nil { chmod(tree.root + path, mode) }
        let (root, nodes, holders, space, runSpace) = (tree.root, nodes, holders, space, runSpace)
        let (httpTrouble, camera) = (httpTrouble, camera)
        let (chips, answer, mayWrite) = (chips, answer, user == nil ? nil : mayWrite)
        let machine = DoctorMachine(
            user: user,
            node: { nodes[String($0.dropFirst(root.count))] },
            mayWrite: { _ in mayWrite },
            space: { $0.hasSuffix("/run") ? runSpace : space },
            chips: { chips },
            library: library,
            holder: { holders[String($0.dropFirst(root.count))] },
            answer: { _ in answer },
            camera: { camera },
            httpTrouble: { _ in httpTrouble },
            clockIsSynchronised: isSynchronised,
            now: now
        )
        return DoctorFacts(DoctorRoot(tree: DoctorTree(root: root), machine: machine))
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with new: String) -> String {
        String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
    }
}

/// A folder of files that is gone with this instance.
final class MadeUpTree {
    private let folder: TestFolder
    var root: String { folder.path }

    /// Makes the folder in memory, as each has about eighty files.
    init() throws { folder = try TestFolder(isInMemory: true) }

    func put(_ files: [String: String], _ links: [String: String]) throws {
        for (path, text) in files {
            let raw = open(try place(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            try #require(raw >= 0, "\(path)")
            defer { close(raw) }
            let bytes = Array(text.utf8)
            try #require(write(raw, bytes, bytes.count) == bytes.count)
        }
        for (path, target) in links {
            let place = try place(path)
            unlink(place)
            try #require(symlink(target, place) == 0, "\(path)")
        }
    }

    /// Makes the folders above a path.
    private func place(_ path: String) throws -> String {
        var folder = root
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            try #require(mkdir(folder, 0o755) == 0 || errno == EEXIST, "\(folder)")
        }
        return root + path
    }
}

import HardwareIO
import Profiles
import Station

/// A line that the configuration names, and for whom.
struct DoctorWantedLine: Hashable {
    let user: String
    /// Label of the chip; nil means the first that has the line.
    let chip: String?
    let line: LineRequest.Line
}

extension DoctorPorts {
    /// Where udev looks for rules; a name counts where it stands first.
    ///
    /// - Source: udev(7), *Rules files*.
    private static let ruleFolders = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
        "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
    ]

    init(
        _ tree: DoctorTree,
        _ machine: DoctorMachine,
        _ catalog: ProfileCatalog,
        wanted: [String]
    ) {
        let names = tree.names("/dev").filter { $0.hasPrefix("ttyUSB") || $0.hasPrefix("ttyACM") }
        var nodes = names.map { "/dev/\($0)" }
        for port in wanted.map(tree.resolved) where !nodes.contains(port) && tree.exists(port) {
            nodes.append(port)
        }
        adapters = nodes.compactMap { Self.adapter($0, tree, machine) }
        let places = ["/usr/bin/brltty", "/usr/sbin/brltty", "/bin/brltty", "/sbin/brltty"]
        brltty = places.first(where: tree.exists)
        brlttyRule = Self.braille(tree, catalog)
        rules = UdevRule.files(catalog.profiles).map { file in
            let found = Self.ruleFolders.map { "\($0)/\(file.name)" }.first(where: tree.exists)
            guard let found else { return DoctorRule(name: file.name, state: .missing) }
            let isEqual = tree.text(found) == file.text
            return DoctorRule(name: file.name, state: isEqual ? .equal : .differs)
        }
        udevAnswers = tree.exists("/run/udev/control")
        let files = ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt"]
        commandLineFile = files.first(where: tree.exists)
        let line = tree.line("/proc/cmdline") ?? commandLineFile.flatMap(tree.line) ?? ""
        consoles = line.fields.filter { $0.hasPrefix("console=") }.map { field in
            String(field.dropFirst("console=".count).prefix { $0 != "," })
        }
        serial0 = tree.target("/dev/serial0")
    }

    private static func adapter(
        _ path: String,
        _ tree: DoctorTree,
        _ machine: DoctorMachine
    ) -> DoctorAdapter? {
        guard let found = machine.node(tree.full(path)) else { return nil }
        let node = DoctorNode(
            path: path,
            group: found.group,
            mode: found.mode,
            mayUse: found.mayUse
        )
        var adapter = DoctorAdapter(node: node)
        // An ACM port hangs on its interface, a serial converter's port one step below that.
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let places = ["..", "../.."].map { "/sys/class/tty/\(name)/device/\($0)" }
        if let usb = places.first(where: { tree.exists("\($0)/idVendor") }) {
            let ids = ["idVendor", "idProduct"].compactMap { tree.line("\(usb)/\($0)") }
            adapter.id = ids.joined(separator: ":")
            adapter.serial = tree.line("\(usb)/serial")
            adapter.powerControl = tree.line("\(usb)/power/control")
        }
        adapter.holder = machine.holder(tree.full(path))
        return adapter
    }

    /// A rule of brltty's that is in force and names an adapter that sensors use.
    ///
    /// - Source: brltty 6.5, `usb-template.rules`: `ENV{PRODUCT}=="1a86/7523/*"`, without leading
    ///   zeros.
    private static func braille(_ tree: DoctorTree, _ catalog: ProfileCatalog) -> String? {
        let ids = Set(
            catalog.profiles.flatMap(\.matches).map { match in
                let parts = [match.vendorID, match.productID].map { $0.drop { $0 == "0" } }
                return parts.joined(separator: "/") + "/"
            }
        )
        var seen: Set<String> = []
        for folder in ruleFolders {
            for name in tree.names(folder) where name.contains("brltty") {
                guard name.hasSuffix(".rules"), name != UdevRule.braillePath,
                    seen.insert(name).inserted, let text = tree.text("\(folder)/\(name)")
                else { continue }
                let lines = text.split(separator: "\n").filter { !$0.trimmed.hasPrefix("#") }
                let isActive = lines.contains { line in ids.contains { line.contains("\"\($0)") } }
                if isActive { return "\(folder)/\(name)" }
            }
        }
        return nil
    }
}

extension DoctorPins {
    init(_ tree: DoctorTree, _ machine: DoctorMachine) {
        chips = machine.chips()
        library = machine.library
        let files = ["/boot/firmware/config.txt", "/boot/config.txt"]
        firmwareFile = files.first(where: tree.exists)
        spiIsAskedFor = firmwareFile.flatMap(tree.text).flatMap(Self.spi)
        spiNodes = tree.names("/dev").filter { $0.hasPrefix("spidev0.") }.map { "/dev/\($0)" }
    }

    /// What `config.txt` says of SPI last: `dtparam=spi=on`, `dtparam=i2c_arm=on,spi`.
    ///
    /// Sections for one model count as if they were for all.
    ///
    /// - Source: Raspberry Pi, *Device Trees, overlays, and parameters*: `on` by default.
    static func spi(_ text: String) -> Bool? {
        var answer: Bool?
        for line in text.split(separator: "\n").map(\.trimmed) where line.hasPrefix("dtparam=") {
            for part in line.dropFirst("dtparam=".count).split(separator: ",") {
                let words = part.split(separator: "=").map(\.trimmed)
                guard words.first == "spi" else { continue }
                answer = words.count < 2 || ["on", "true", "yes", "1"].contains(words[1])
            }
        }
        return answer
    }
}

extension DoctorHealth {
    init(_ tree: DoctorTree, _ machine: DoctorMachine) {
        let sensors = tree.names("/sys/class/hwmon").map { "/sys/class/hwmon/\($0)" }
        isUnderVoltage = sensors.first { tree.line("\($0)/name") == "rpi_volt" }
            .flatMap { tree.number("\($0)/in0_lcrit_alarm") }.map { $0 != 0 }
        hottestMillidegrees =
            tree.names("/sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
            .compactMap { tree.number("/sys/class/thermal/\($0)/temp") }.max()
        watchdogs = tree.names("/sys/class/watchdog").map { name in
            let folder = "/sys/class/watchdog/\(name)"
            return Watchdog(
                name: name,
                identity: tree.line("\(folder)/identity"),
                state: tree.line("\(folder)/state"),
                timeoutSeconds: tree.number("\(folder)/timeout")
            )
        }
        managerSettings = tree.settings("system.conf")
        hasSystemd = tree.exists("/run/systemd/system")
        clockIsSynchronised = machine.clockIsSynchronised
        hasTimesyncMark = tree.exists("/run/systemd/timesync/synchronized")
        let services = [
            ("systemd-timesyncd", "/usr/lib/systemd/systemd-timesyncd"),
            ("systemd-timesyncd", "/lib/systemd/systemd-timesyncd"),
            ("chrony", "/usr/sbin/chronyd"), ("ntpsec", "/usr/sbin/ntpd"),
        ]
        for (name, path) in services where tree.exists(path) && !timeServices.contains(name) {
            timeServices.append(name)
        }
        if tree.exists("/sys/class/rtc/rtc0") {
            clockChip = tree.line("/sys/class/rtc/rtc0/name") ?? "rtc0"
            clockChipSeconds = tree.number("/sys/class/rtc/rtc0/since_epoch")
        }
        let keepers = ["/etc/fake-hwclock.data", "/var/lib/systemd/timesync/clock"]
        clockKeeper = keepers.first(where: tree.exists)
    }
}

extension DoctorCard {
    /// Goes by the store's folder, or by where it would be.
    init(_ tree: DoctorTree, _ machine: DoctorMachine, folder: String) {
        if let text = tree.text("/proc/mounts") {
            mounts = Self.mounts(text)
        } else if let text = tree.text("/etc/fstab") {
            // What would be mounted; the kernel's own choice has no entry there.
            mounts = Self.mounts(text).map { mount in
                let says = mount.options.contains { $0.hasSuffix("atime") }
                let options = mount.options + (says ? [] : ["relatime"])
                return DoctorMount(
                    device: mount.device,
                    place: mount.place,
                    kind: mount.kind,
                    options: options
                )
            }
        }
        var place = folder
        while !place.isEmpty, !tree.exists(place) {
            place = String(place.prefix(upTo: place.lastIndex(of: "/") ?? place.startIndex))
        }
        space = machine.space(tree.full(place.isEmpty ? "/" : place))
        runSpace = machine.space(tree.full("/run"))
        swaps = (tree.text("/proc/swaps") ?? "").split(separator: "\n").dropFirst()
            .compactMap { $0.fields.first }
        logStorage = tree.settings("journald.conf")["Storage"] ?? "auto"
        hasLogFolder = tree.exists("/var/log/journal")
        let links = [JournalPartition.link, "/dev/disk/by-partlabel/\(JournalPartition.name)"]
        journalPartition = links.first(where: tree.exists).map(tree.resolved)
        hasNotedPartition = tree.target("\(folder)/\(JournalPartition.noteName)") != nil
        // The main area of an eMMC: its boot areas have names of their own.
        let names = tree.names("/sys/block").filter { $0.hasPrefix("mmcblk") }
        guard let name = names.first(where: { $0.dropFirst(6).allSatisfy(\.isNumber) }) else {
            return
        }
        self.name = name
        let device = "/sys/block/\(name)/device"
        kind = tree.line("\(device)/type")
        eraseBytes = tree.number("\(device)/preferred_erase_size")
        lifeTime = (tree.line("\(device)/life_time") ?? "").fields.compactMap(Self.hexadecimal)
        endOfLife = tree.line("\(device)/pre_eol_info").flatMap(Self.hexadecimal)
        partitions = tree.names("/sys/block/\(name)").filter { $0.hasPrefix(name) }
            .compactMap { part in
                // Always in units of 512 bytes, for every sector size.
                tree.number("/sys/block/\(name)/\(part)/start").map {
                    Partition(name: part, startBytes: $0 * 512)
                }
            }
    }

    /// - Source: fstab(5), whose form `/proc/mounts` has, too.
    private static func mounts(_ text: String) -> [DoctorMount] {
        text.split(separator: "\n").map(\.fields).filter { fields in
            fields.count > 3 && !fields[0].hasPrefix("#")
        }.map { fields in
            DoctorMount(
                device: fields[0],
                place: fields[1],
                kind: fields[2],
                options: fields[3].split(separator: ",").map(String.init)
            )
        }
    }

    private static func hexadecimal(_ text: String) -> Int? {
        Int(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
    }
}

import Devices
import LinuxPlatform
import Profiles
import Station

/// A serial adapter or a port of the board.
struct DoctorAdapter: Hashable {
    let node: DoctorNode
    /// `1a86:7523`; nil when it is none of USB's.
    var id: String?
    var serial: String?
    /// `on` or `auto`, of the USB device.
    var powerControl: String?
    /// Another program that has it open, as `minicom (pid 12)`.
    var holder: String?
}

/// Serial ports, and who else wants them.
struct DoctorPorts: Hashable {
    var adapters: [DoctorAdapter] = []
    /// Where brltty's program or rules are; nil without.
    var brltty: String?
    /// The rule of brltty's that counts; nil when there is none or it is masked.
    var brlttyRule: String?
    /// The rules that belong there: installed as they should be, with another content, or not at
    /// all.
    var rules: [DoctorRule] = []
    /// `/run/udev/control` is there.
    var udevAnswers = false
    /// Values of `console=` on the kernel's command line, without their speed.
    var consoles: [String] = []
    /// Where that line is changed.
    var commandLineFile: String?
    /// Target of the link `/dev/serial0`, such as `ttyS0`.
    var serial0: String?
}

struct DoctorRule: Hashable {
    enum State { case equal, differs, missing }

    let name: String
    let state: State
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

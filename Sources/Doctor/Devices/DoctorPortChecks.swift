import Profiles

enum DoctorPortChecks {
    /// Serial adapters, and who else wants them.
    static let ports = [
        DoctorCheck(
            name: "serial-access",
            question: "May the serial ports be opened?",
            decide: serialAccess
        ),
        DoctorCheck(
            name: "serial-present",
            question: "Are the configured ports there?",
            decide: serialPresent
        ),
        DoctorCheck(
            name: "serial-holders",
            question: "Does another program have a port open?",
            decide: serialHolders
        ),
        DoctorCheck(
            name: "serial-twins",
            question: "Can adapters be distinguished?",
            decide: serialTwins
        ),
        DoctorCheck(
            name: "serial-console",
            question: "Does the kernel talk on the header's UART?",
            decide: serialConsole
        ),
        DoctorCheck(
            name: "brltty",
            question: "Does brltty treat adapters as braille displays?",
            decide: brltty
        ),
        DoctorCheck(
            name: "modem-manager",
            question: "Does ModemManager try adapters for modems?",
            decide: modemManager
        ),
        DoctorCheck(
            name: "udev-rules",
            question: "Are the udev rules there, as this version writes them?",
            decide: udevRules
        ),
        DoctorCheck(
            name: "udev-daemon",
            question: "Does udevd run, which reports plugged adapters?",
            decide: udevDaemon
        ),
    ]

    private static let installRules =
        "sudo roost profiles rules --write /etc/udev/rules.d && sudo udevadm control --reload "
        + "&& sudo udevadm trigger --subsystem-match=usb --subsystem-match=tty"

    @Sendable private static func serialAccess(_ facts: DoctorFacts) -> DoctorFinding {
        let nodes = facts.ports.adapters.map(\.node)
        guard let user = facts.user else { return .ofImage }
        guard !nodes.isEmpty else { return .skipped("there is no serial adapter") }
        let closed = nodes.filter { $0.mayUse == false }
        if let node = closed.first {
            let text = "\(user.name) may not open \(closed.map(\.path).inWords): "
            guard !["root", "0"].contains(node.group) else {
                return .failure(
                    text + "only root may, mode \(node.mode); no udev rule gave it to a group",
                    next: installRules
                )
            }
            if user.groups.contains(node.group) {
                return .failure(
                    text + "its group is \(node.group), \(user.name)'s too, but its mode is "
                        + node.mode,
                    next: "sudo chmod g+rw \(node.path), and look for the rule that took it away"
                )
            }
            return .failure(
                text + "they are for the group \(node.group)",
                next: "sudo usermod -aG \(node.group) \(user.name), then log in again"
            )
        }
        let all = nodes.map(\.path).inWords
        return user.isRoot
            ? .hint(
                "root may open \(all), as it may everything; of the station's user this says "
                    + "nothing",
                next: "sudo -u USER roost doctor --only serial-access"
            )
            : .ok("\(user.name) may open \(all)")
    }

    @Sendable private static func serialPresent(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        let ports = facts.configuration?.serialPorts ?? []
        guard !ports.isEmpty else { return .skipped("no serial port is configured") }
        // A port that exists has a node; links were followed to it.
        guard let missing = facts.station.missingPorts.first else {
            return .ok("\(ports.map(\.port).inWords): there")
        }
        let device = ports.first { $0.port == missing }?.device ?? "a device"
        let found = facts.ports.adapters.map(\.node.path)
        let there = found.isEmpty ? "no adapter is plugged in" : "there is \(found.inWords)"
        return .warning(
            "\(device) is to be at \(missing), which is not there; \(there)",
            next: found.isEmpty
                ? "plug it in, and see `sudo dmesg | tail`"
                : "set `port` of \(device) in \(facts.station.path), or plug it in"
        )
    }

    @Sendable private static func serialHolders(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard !facts.ports.adapters.isEmpty else { return .skipped("there is no serial adapter") }
        let held = facts.ports.adapters.filter { adapter in
            adapter.holder.map { !$0.hasPrefix("roostd ") } ?? false
        }
        guard let first = held.first, let holder = first.holder else {
            return .ok("no other program has one open, as far as may be seen")
        }
        let number = holder.split(separator: " ").last?.filter(\.isNumber) ?? ""
        let isWanted = facts.station.usedPorts.contains(first.node.path)
        let text = "\(holder) has \(first.node.path) open"
        return isWanted
            ? .failure("\(text), which the station needs", next: "sudo kill \(number)")
            : .hint(text)
    }

    @Sendable private static func serialTwins(_ facts: DoctorFacts) -> DoctorFinding {
        let adapters = facts.ports.adapters.filter { $0.id != nil }
        guard !adapters.isEmpty else { return .skipped("there is no USB adapter") }
        let groups = Dictionary(grouping: adapters) { "\($0.id ?? "") \($0.serial ?? "")" }
        let twins = groups.values.filter { $0.count > 1 }.flatMap(\.self)
            .sorted { $0.node.path < $1.node.path }
        let named = facts.station.configuredPorts.filter { port in
            port.hasPrefix("/dev/tty") || port.hasPrefix("/dev/serial/by-id/")
        }
        guard let twin = twins.first else {
            return .ok("each of \(adapters.map(\.node.path).inWords) has an identity of its own")
        }
        let why =
            twin.serial == nil
            ? "have no serial number, as no CH340 does" : "have the same serial number"
        let text =
            "\(twins.map(\.node.path).inWords) are alike (\(twin.id ?? "")) and \(why): "
            + "only the socket distinguishes them, and their numbers change with every boot"
        guard let port = named.first else { return .hint(text, next: "leave each in its socket") }
        return .warning(
            text,
            next: "ls -l /dev/serial/by-path/, and put that link in place of \(port) in "
                + facts.station.path
        )
    }

    /// - Source: Raspberry Pi, *Configuring UARTs*.
    @Sendable private static func serialConsole(_ facts: DoctorFacts) -> DoctorFinding {
        guard facts.isPi else { return .noPi }
        // On the boards with an RP1 `serial0` is a separate connector, for debugging.
        let hasPlug = facts.board?.board?.gpioChip == "pinctrl-rp1"
        let target = hasPlug ? nil : facts.ports.serial0
        let uarts = hasPlug ? ["ttyAMA0"] : ["serial0", "ttyS0", "ttyAMA0"]
        guard let console = facts.ports.consoles.first(where: uarts.contains) else {
            return .ok("the header's UART is free")
        }
        let names = [console, hasPlug ? console : "serial0", target ?? console]
            .map { "/dev/\($0)" }
        let user = facts.configuration?.serialPorts.first { names.contains($0.port) }
        let text = "the kernel has its console on \(console), the header's UART"
        let file = facts.ports.commandLineFile ?? "/boot/firmware/cmdline.txt"
        let edit =
            "sudo sed -Ei 's/console=(serial0|ttyS0|ttyAMA0)(,[^ ]*)? *//' \(file) "
            + "&& sudo reboot"
        guard let user else {
            return .hint("\(text); a sensor there would get its messages", next: edit)
        }
        return .failure("\(text), where \(user.device) is", next: edit)
    }

    @Sendable private static func brltty(_ facts: DoctorFacts) -> DoctorFinding {
        guard facts.ports.brltty != nil || facts.ports.brlttyRule != nil else {
            return .ok("brltty is not installed")
        }
        guard let rule = facts.ports.brlttyRule else {
            return .ok("brltty is installed, and no rule of its names adapters of sensors")
        }
        let own = facts.ports.rules.first { $0.name == UdevRule.braillePath }
        guard own.map({ $0.state == .missing }) ?? true else {
            return .ok("\(rule) claims adapters of sensors, and \(UdevRule.braillePath) undoes it")
        }
        let next = "sudo apt-get remove brltty, or keep it and: \(installRules)"
        let text = "\(rule) claims adapters that sensors use as braille displays"
        return facts.ports.brltty == nil
            ? .hint("\(text); the program itself is not there", next: next)
            : .failure("\(text): a port vanishes as soon as it is plugged in", next: next)
    }

    @Sendable private static func modemManager(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard facts.runs("ModemManager") else { return .ok("ModemManager does not run") }
        let rules = facts.ports.rules.filter { $0.name != UdevRule.braillePath }
        let missing = rules.filter { $0.state == .missing }
        guard !missing.isEmpty else {
            return .ok("ModemManager runs, and the rules keep it away from adapters")
        }
        return .warning(
            "ModemManager runs and no rule keeps it away: it writes to every new adapter for up "
                + "to a minute",
            next: "\(installRules), or: sudo systemctl disable --now ModemManager"
        )
    }

    @Sendable private static func udevRules(_ facts: DoctorFacts) -> DoctorFinding {
        let rules = facts.ports.rules
        func names(_ state: DoctorRule.State) -> [String] {
            rules.filter { $0.state == state }.map(\.name)
        }
        let (missing, others) = (names(.missing), names(.differs))
        guard !rules.isEmpty else { return .skipped("no profile has a rule") }
        if missing.count == rules.count {
            return .warning(
                "none of the \(rules.count) udev rules is installed, so ports have no link by "
                    + "socket, and other programs may claim them",
                next: installRules
            )
        }
        guard missing.isEmpty, others.isEmpty else {
            let details = missing.map { "\($0): missing" } + others.map { "\($0): another text" }
            return .warning(
                "\(missing.count + others.count) of \(rules.count) udev rules are not as this "
                    + "version writes them",
                next: installRules
            ).with(details: details)
        }
        return .ok("all \(rules.count) udev rules are installed, as this version writes them")
    }

    @Sendable private static func udevDaemon(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        // Newer ones share a name with their workers: `systemd-udevd`, `(udev-worker)`.
        let isThere = ["systemd-udevd", "udevd"].contains(where: facts.runs)
        guard !isThere || !facts.ports.udevAnswers else {
            return .ok("udevd runs: plugging in is seen at once")
        }
        return .warning(
            isThere
                ? "udevd runs, and its socket /run/udev/control is missing"
                : "udevd does not run, as in containers: plugging in is not seen, and ports have "
                    + "no links",
            next: facts.health.hasSystemd
                ? "sudo systemctl restart systemd-udevd"
                : "run the station on the machine itself, or share /run/udev and /dev with it"
        )
    }
}

import Configuration
import Station
import Store
import StoreQueries

enum DoctorCardChecks {
    /// The card and its file systems.
    static let card = [
        DoctorCheck(
            name: "card-space",
            question: "Is there room where the store is?",
            decide: cardSpace
        ),
        DoctorCheck(
            name: "card-mount",
            question: "Is it mounted so that reading does not write?",
            decide: cardMount
        ),
        DoctorCheck(
            name: "card-writable",
            question: "Does what the store writes stay?",
            decide: cardWritable
        ),
        DoctorCheck(
            name: "card-wear",
            question: "How much of its life has the card used up?",
            decide: cardWear
        ),
        DoctorCheck(
            name: "card-erase",
            question: "Do partitions begin where the card erases?",
            decide: cardErase
        ),
        DoctorJournalCheck.check,
    ]

    /// Checks of what else writes to the card, the store apart.
    static let writes = [
        DoctorCheck(
            name: "run-memory",
            question: "Is /run in memory, with room for the tail mirror?",
            decide: runMemory
        ),
        DoctorCheck(
            name: "swap",
            question: "Is memory swapped to the card?",
            decide: swap
        ),
        DoctorCheck(
            name: "log-writes",
            question: "Does the system's log go to the card?",
            decide: logWrites
        ),
    ]

    private static func folder(_ facts: DoctorFacts) -> String {
        facts.configuration?.store?.folder ?? StoreConfiguration.defaultFolder
    }

    /// Part of a card to keep free: below it the card gets slow, with no block to erase.
    ///
    /// - Source: RPi-Distro/raspi-config issue 252: collapse near 100 %; a tenth is our margin.
    private static let freeShare = 0.1

    @Sendable private static func cardSpace(_ facts: DoctorFacts) -> DoctorFinding {
        guard let space = facts.card.space, space.totalBytes > 0 else { return .ofImage }
        let folder = folder(facts)
        let free = FigureText.bytes(Double(space.freeBytes))
        let total = FigureText.bytes(Double(space.totalBytes))
        let text = "\(free) of \(total) are free for \(folder)"
        let look = "sudo du -xh / | sort -h | tail -20, and sudo apt-get clean"
        // The history is reserved at once and never grows: only what is to be made needs room.
        if let store = facts.configuration?.store, facts.station.history.isToBeMade,
            space.freeBytes < store.plan.byteCount + 16 << 20
        {
            let wanted = FigureText.bytes(Double(store.plan.byteCount))
            return .failure(
                "\(text), and the history is to be made with \(wanted)",
                next: "set a smaller `megabytes` in `store` of \(facts.station.path), or: \(look)"
            )
        }
        guard space.freeBytes >= 16 << 20 else { return .failure(text, next: look) }
        let share = Double(space.freeBytes) / Double(space.totalBytes)
        guard share >= freeShare else {
            return .warning("\(text): a full card writes slowly and wears out soon", next: look)
        }
        return .ok(text)
    }

    @Sendable private static func cardMount(_ facts: DoctorFacts) -> DoctorFinding {
        guard let mount = facts.card.mount(of: folder(facts)) else {
            return .skipped("what is mounted cannot be known here")
        }
        let text = "\(mount.place) (\(mount.kind) on \(mount.device))"
        guard !mount.isInMemory, mount.isCard else {
            return .skipped("\(text) is no card")
        }
        func edit(_ option: String) -> String {
            "add \(option) to the options of \(mount.place) in /etc/fstab, then: "
                + "sudo mount -o remount,\(option) \(mount.place)"
        }
        let options = mount.options
        guard options.contains("noatime") else {
            let isRelative = options.contains("relatime")
            let what = isRelative ? "once a day and file" : "each time"
            let finding = "\(text) writes to the card when a file is read, \(what)"
            return isRelative
                ? .hint(finding, next: edit("noatime")) : .warning(finding, next: edit("noatime"))
        }
        if mount.kind == "ext4", options.contains("errors=continue") {
            return .warning(
                "\(text) goes on writing after an error, and makes it worse",
                next: edit("errors=remount-ro")
            )
        }
        return .ok("\(text): noatime")
    }

    @Sendable private static func cardWritable(_ facts: DoctorFacts) -> DoctorFinding {
        let folder = folder(facts)
        guard let mount = facts.card.mount(of: folder) else {
            return .skipped("what is mounted cannot be known here")
        }
        let overlay = "sudo raspi-config nonint do_overlayfs 1 && sudo reboot"
        let another = "set `folder` in `store` of \(facts.station.path) to one that stays"
        let isWanted = facts.configuration?.store != nil
        if mount.isReadOnly {
            let text = "\(folder) lies on \(mount.place), which is mounted read-only"
            guard isWanted else { return .hint("\(text); no store is configured") }
            let next =
                "sudo dmesg | grep -i 'error' to see whether a fault did that, then: "
                + "sudo mount -o remount,rw \(mount.place); or \(another)"
            return .failure(text, next: next)
        }
        if mount.kind == "overlay", mount.options.contains(where: { $0.hasPrefix("upperdir=") }),
            facts.isPi
        {
            let text =
                "\(folder) lies on an overlay in memory: what is written there is lost at reboot"
            return isWanted
                ? .failure(text, next: "\(overlay); or \(another)") : .hint(text)
        }
        if mount.isInMemory, isWanted {
            return .failure(
                "\(folder) lies in memory (\(mount.kind)): a reboot loses the history",
                next: another
            )
        }
        let root = facts.card.mount(of: "/")
        let also = root?.isReadOnly == true ? "; the root is read-only, as it may be" : ""
        return .ok("\(folder) lies on \(mount.place), writable\(also)")
    }

    /// - Source: JEDEC JESD84-B51, `DEVICE_LIFE_TIME_EST`: tenths, 11 is beyond; `PRE_EOL_INFO`.
    @Sendable private static func cardWear(_ facts: DoctorFacts) -> DoctorFinding {
        let card = facts.card
        guard let name = card.name else {
            return facts.isImage ? .ofImage : .skipped("there is no card")
        }
        let worst = card.lifeTime.max() ?? 0
        guard worst > 0 || (card.endOfLife ?? 0) > 0 else {
            return .skipped(
                "\(name) does not report it, like every SD card; roost store plan reckons"
            )
        }
        let used = worst > 10 ? "more than all" : "up to \(worst * 10) %"
        let text = worst > 0 ? "\(used) of the life of \(name) is used up" : "\(name) reports"
        let next = "roost store compact-copy onto another, and replace it"
        if worst > 10 || card.endOfLife == 3 {
            return .failure("\(text): it may stop writing any day", next: next)
        }
        if worst >= 9 || card.endOfLife == 2 {
            return .warning("\(text), its spare blocks are going", next: next)
        }
        return .ok(text)
    }

    @Sendable private static func cardErase(_ facts: DoctorFacts) -> DoctorFinding {
        let card = facts.card
        guard let name = card.name else {
            return facts.isImage ? .ofImage : .skipped("there is no card")
        }
        guard let size = card.eraseBytes, size > 0 else {
            return .skipped("\(name) does not report how much it erases at once")
        }
        let text = "\(name) erases \(size >> 20) MiB at once"
        // The journal's own partition gets less than a block a minute, wherever it begins.
        let journal = card.journalPartition
        let off = card.partitions.filter {
            $0.startBytes % size != 0 && "/dev/\($0.name)" != journal
        }
        guard let first = off.first else { return .ok("\(text), and partitions begin there") }
        return .hint(
            "\(text), and \(first.name) begins \((first.startBytes % size) >> 10) KiB beside: "
                + "some writes cost two erasures",
            next: "at the next flashing, begin partitions at a multiple of \(size / 512) sectors"
        )
    }

    @Sendable private static func runMemory(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard facts.card.mounts != nil, let mount = facts.card.mount(of: "/run") else {
            return .skipped("what is mounted cannot be known here")
        }
        let size = TailMirror.byteLimit
        let need = "\(size >> 10) KiB"
        guard mount.isInMemory else {
            return .warning(
                "/run lies on \(mount.device) (\(mount.kind)), not in memory: the station goes "
                    + "without its tail mirror, and a crash loses up to the loss window",
                next: "echo 'tmpfs /run tmpfs nosuid,nodev,mode=0755 0 0' | sudo tee -a /etc/fstab "
                    + "&& sudo reboot"
            )
        }
        if let space = facts.card.runSpace, space.freeBytes < size {
            return .warning(
                "/run has \(space.freeBytes >> 10) KiB left, and the tail mirror wants \(need)",
                next: "sudo du -sh /run/* | sort -h, and remove what fills it"
            )
        }
        return .ok("/run is in memory, with room for the tail mirror (\(need))")
    }

    @Sendable private static func swap(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        let places = facts.card.swaps.filter { place in
            if place.hasPrefix("/dev/") { return place.hasPrefix("/dev/mmcblk") }
            return facts.card.mount(of: place)?.isCard ?? false
        }
        guard let place = places.first else {
            return .ok(
                facts.card.swaps.isEmpty
                    ? "nothing is swapped"
                    : "memory is swapped to \(facts.card.swaps.inWords), no card"
            )
        }
        // The usual file of Raspberry Pi OS, up to its version 12.
        let isUsual = place == "/var/swap"
        return .warning(
            "memory is swapped to \(place), on the card",
            next: isUsual
                ? "sudo dphys-swapfile swapoff && sudo systemctl disable --now dphys-swapfile"
                : "sudo swapoff \(place), and remove it from /etc/fstab"
        )
    }

    /// - Source: journald.conf(5), `Storage`: `auto` writes when `/var/log/journal` is there.
    @Sendable private static func logWrites(_ facts: DoctorFacts) -> DoctorFinding {
        guard let mount = facts.card.mount(of: "/var/log") else {
            return .skipped("what is mounted cannot be known here")
        }
        guard mount.isCard, !mount.isReadOnly else { return .ok("/var/log is on no card") }
        let storage = facts.card.logStorage
        let writes = storage == "persistent" || storage == "auto" && facts.card.hasLogFolder
        guard writes else { return .ok("the system's log stays in memory (Storage=\(storage))") }
        return .warning(
            "the system's log is written to the card (Storage=\(storage))",
            next: "sudo mkdir -p /etc/systemd/journald.conf.d && "
                + "printf '[Journal]\\nStorage=volatile\\n' | sudo tee "
                + "/etc/systemd/journald.conf.d/volatile.conf && "
                + "sudo systemctl restart systemd-journald"
        )
    }
}

extension DoctorStation.LastSample? {
    /// Whether a history is wanted and does not exist yet.
    fileprivate var isToBeMade: Bool { self == nil || self == .noHistory }
}

import Provisioning

enum DoctorBoardChecks {
    /// Checks that apply only to a station that runs from an image.
    static let image = [
        DoctorCheck(
            name: "image-root",
            question: "Which root runs, is it the good one, and is it never written?",
            decide: root
        ),
        DoctorCheck(
            name: "image-data",
            question: "Do history and settings lie on the card?",
            decide: data
        ),
        DoctorCheck(
            name: "image-start",
            question: "Did the last start find the card whole?",
            decide: start
        ),
        DoctorCheck(
            name: "image-files",
            question: "Are the owner's files on the boot partition right?",
            decide: files
        ),
        DoctorCheck(
            name: "image-boot",
            question: "Is all there that a board starts by?",
            decide: boot
        ),
    ]

    private static let packages = DoctorFinding.ok("this station was installed as packages")

    @Sendable private static func root(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard let version = facts.image.version else { return packages }
        guard let running = facts.image.running else { return .skipped("no root runs here") }
        let name = "root \(running.rawValue), version \(version)"
        if let mount = facts.card.mount(of: "/"), !mount.isReadOnly, !mount.isInMemory {
            return .warning(
                "\(name), can be written: a loss of power may damage it",
                next: "sudo reboot, without roost.writable in words.txt"
            )
        }
        guard let slots = facts.image.slots else {
            return .hint("\(name); only root may see whether it is the good one")
        }
        switch TrialState(slots, running: running) {
        case .settled: return .ok("\(name), is the good one")
        case .waiting(let slot):
            return .hint("\(name); root \(slot.rawValue) is tried at the next start")
        case .onTrial: return .hint("\(name), is on trial: roost update status")
        case .fellBack(let slot):
            return .warning(
                "\(name), runs again: root \(slot.rawValue) was tried and did not become good",
                next: "roost update status says why"
            )
        case .standIn(let good):
            return .warning(
                "\(name), runs as root \(good.rawValue), the good one, did not start",
                next: "sudo roost update install writes it anew"
            )
        }
    }

    @Sendable private static func data(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard facts.image.version != nil else { return packages }
        guard let place = facts.image.dataOn else { return .skipped("no root runs here") }
        guard place == "memory" else { return .ok("on the card's data partition") }
        return .failure(
            "the data partition cannot be used: history and settings are lost with the power",
            next: "replace the card; cat /run/roost-data.log says what is wrong with it"
        )
    }

    @Sendable private static func start(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        guard facts.image.version != nil else { return packages }
        guard !facts.image.start.isEmpty else { return .ok("it found nothing wrong with the card") }
        return DoctorFinding.warning(
            "it found something wrong with the card",
            next: "if the next start says the same, replace the card"
        ).with(details: facts.image.start)
    }

    @Sendable private static func boot(_ facts: DoctorFacts) -> DoctorFinding {
        guard facts.image.version != nil else { return facts.isImage ? .ofImage : packages }
        guard let missing = facts.image.missing else {
            return .skipped("the boot partition is not mounted, or only root may read it")
        }
        guard missing.isEmpty else {
            return .failure(
                "the boot partition lacks \(missing.inWords)",
                next: "copy them from the image's boot partition, or write the card again"
            )
        }
        return .ok("the boot partition has all files that a board starts by")
    }

    @Sendable private static func files(_ facts: DoctorFacts) -> DoctorFinding {
        guard facts.image.version != nil else { return facts.isImage ? .ofImage : packages }
        let mistakes = facts.image.mistakes
        guard mistakes.isEmpty else {
            return .warning(
                "\(mistakes.count) thing\(mistakes.count == 1 ? "" : "s") to correct",
                next: "correct the files on any computer"
            ).with(details: mistakes)
        }
        guard !facts.image.said.isEmpty else { return .ok("nothing is wrong with them") }
        return DoctorFinding.hint(
            "the station said something of them",
            next: "correct the files on any computer, and start the station again"
        ).with(details: facts.image.said)
    }
}

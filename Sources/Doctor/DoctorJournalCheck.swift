import Configuration
import HardwareIO
import Station
import Store
import StoreQueries

enum DoctorJournalCheck {
    /// Checks which file system the journal lies on, as that decides its wear of the card.
    static let check = DoctorCheck(
        name: "card-journal",
        question: "Does the journal spare the card?",
        decide: cardJournal
    )

    @Sendable private static func cardJournal(_ facts: DoctorFacts) -> DoctorFinding {
        guard let store = facts.configuration?.store else {
            return .skipped("no store is configured")
        }
        let (card, file) = (facts.card, facts.station.path)
        switch store.journal {
        case .path(let path) where path.hasPrefix("/dev/"):
            return .ok("the journal has \(path) for itself: \(cost(store, .partition))")
        case .auto where card.journalPartition != nil:
            let path = card.journalPartition ?? JournalPartition.link
            return .ok("the journal has \(path) for itself: \(cost(store, .partition))")
        case .auto where card.hasNotedPartition && !facts.isImage:
            return .failure(
                "the journal had a partition, which cannot be found: the station writes nothing",
                next: "lsblk -o NAME,PARTTYPE,PARTLABEL, and sudo udevadm trigger; if it is gone "
                    + "for good: sudo rm \(store.folder)/\(JournalPartition.noteName)"
            )
        default: break
        }
        guard let mount = card.mount(of: store.folder) else {
            return .skipped("what is mounted cannot be known here")
        }
        guard let medium = JournalMedium(fileSystem: mount.kind) else {
            return .skipped("what the journal costs on \(mount.kind) was not measured")
        }
        let words = "the journal is a file on \(mount.kind): \(cost(store, medium))"
        guard mount.isCard, medium == .ext4 else { return .ok(words) }
        let better = "on a partition of its own \(cost(store, .partition))"
        if let found = card.journalPartition {
            return .hint(
                "\(words), and \(found) is not used; \(better)",
                next: "set \"journal\": \"auto\" in `store` of \(file), "
                    + "then: sudo systemctl restart roostd"
            )
        }
        return .ok("\(words); \(better) (`roost store partition --help`)")
    }

    private static func cost(_ store: StoreConfiguration, _ medium: JournalMedium) -> String {
        let figures = StoreFigures(store.plan.on(medium))
        let bytes = FigureText.rounded(figures.bytesPerSample)
        let years = FigureText.rounded(figures.cardYears)
        let writes = Int(figures.requestsPerDay.rounded())
        return "\(bytes) B a sample and \(writes) writes a day at 1 Hz, a card lasts \(years) years"
    }
}

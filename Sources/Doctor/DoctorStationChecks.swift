import Configuration
import ControlProtocol
import Core
import Profiles
import Station
import Store

enum DoctorStationChecks {
    /// The station's files, and the station.
    static let station = [
        DoctorCheck(
            name: "configuration",
            question: "Is the configuration there and right?",
            decide: configuration
        ),
        DoctorCheck(
            name: "profiles",
            question: "Are your own profiles right?",
            decide: profiles
        ),
        DoctorCheck(
            name: "instance",
            question: "Does one station run, and only one?",
            decide: instance
        ),
        DoctorCheck(
            name: "station",
            question: "Does the station answer, and what does it complain of?",
            decide: answer
        ),
        DoctorCheck(
            name: "store",
            question: "May the store's folder be written?",
            decide: store
        ),
        DoctorCheck(
            name: "history",
            question: "Can the history be read, and how old is its last sample?",
            decide: history
        ),
        DoctorCheck(
            name: "http-devices",
            question: "Do the HTTP devices answer?",
            decide: httpDevices
        ),
    ]

    @Sendable private static func httpDevices(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        let httpDevices = facts.station.httpDevices
        guard !httpDevices.isEmpty else { return .skipped("no HTTP device is configured") }
        let silent = httpDevices.filter { $0.trouble != nil }
        guard let first = silent.first else {
            return .ok("\(httpDevices.map(\.address).inWords): answers")
        }
        return DoctorFinding.warning(
            "\(silent.map(\.device).inWords) gives nothing: \(first.trouble ?? "")",
            next: "curl -m 5 \(first.address), and see that it is on and in this network"
        ).with(details: silent.compactMap(\.trouble))
    }

    @Sendable private static func configuration(_ facts: DoctorFacts) -> DoctorFinding {
        let path = facts.station.path
        switch facts.station.configuration {
        case nil:
            return .hint(
                "there is no \(path): a station uses what is plugged in, and stores nothing",
                next: "echo '{ \"store\": {} }' | sudo install -D -m 644 /dev/stdin \(path)"
            )
        case .success(let configuration):
            let count = configuration.devices.count
            return .ok("\(path) is right: \(count) device\(count == 1 ? "" : "s")")
        case .failure(let error):
            let count = error.problems.count
            return .failure(
                "\(path) has \(count) mistake\(count == 1 ? "" : "s"), and no station starts with "
                    + "it",
                next: "edit it until this is silent: roostd --config \(path) --check"
            ).with(details: error.problems.map(\.description))
        }
    }

    @Sendable private static func profiles(_ facts: DoctorFacts) -> DoctorFinding {
        let station = facts.station
        guard station.ownProfileCount > 0 else { return .ok("there are none of your own") }
        guard station.profileProblems.isEmpty else {
            let count = station.profileProblems.count
            return .warning(
                "your profiles have \(count) mistake\(count == 1 ? "" : "s"); those files are left "
                    + "out",
                next: "roost profiles check"
            ).with(details: station.profileProblems)
        }
        let count = station.ownProfileCount
        return DoctorFinding.ok("\(count) of your own, in order")
            .with(details: station.profileNotes)
    }

    @Sendable private static func instance(_ facts: DoctorFacts) -> DoctorFinding {
        guard !facts.isImage else { return .ofImage }
        let running = facts.processes.filter { $0.name == "roostd" }.map(\.id)
        guard running.count < 2 else {
            return .warning(
                "\(running.count) stations run, processes \(running.map(String.init).inWords): "
                    + "they compete for ports and pins",
                next: "sudo kill \(running.first.map(String.init) ?? ""), whichever is not wanted"
            )
        }
        if let id = running.first { return .ok("one station runs, process \(id)") }
        if let holder = facts.station.lockHolder {
            return .hint("process \(holder) holds the station's lock under another name")
        }
        return .hint("no station runs", next: facts.configuration.map { _ in facts.startStation })
    }

    @Sendable private static func answer(_ facts: DoctorFacts) -> DoctorFinding {
        guard let answer = facts.station.answer else { return .ofImage }
        switch answer {
        case .answers(let id, let faults, _) where faults.isEmpty:
            return .ok("process \(id) answers and has no complaint")
        case .answers(let id, let faults, _):
            return DoctorFinding.warning(
                "process \(id) answers and names "
                    + (faults.count == 1 ? "a fault" : "\(faults.count) faults"),
                next: faults.first?.nextStep ?? "roost status"
            ).with(details: faults.map { "\($0.sentence); \($0.nextStep)" })
        case .refuses(let text):
            return .failure(text, next: "roost status, and see what roostd logged")
        case .hangs(let text):
            return .failure(
                text,
                next: "see what roostd logged, then: \(facts.restartStation)"
            )
        case .absent where facts.station.lockHolder != nil:
            return .failure(
                "process \(facts.station.lockHolder ?? 0) holds the station's lock and does not "
                    + "answer at its socket",
                next: "see what roostd logged, then: \(facts.restartStation)"
            )
        case .absent where facts.configuration == nil:
            return .skipped("no station answers, and there is no right configuration to start one")
        case .absent:
            return .warning(
                "the station is configured, and none answers",
                next: facts.startStation
            )
        }
    }

    private static let noStore = "no store is configured: the last day stays in memory alone"

    @Sendable private static func store(_ facts: DoctorFacts) -> DoctorFinding {
        guard let configuration = facts.configuration else {
            return .skipped("there is no right configuration")
        }
        guard let folder = configuration.store?.folder, let store = facts.station.store else {
            return .hint(noStore, next: "add \"store\": {} to \(facts.station.path)")
        }
        let owner = facts.user?.name ?? "USER"
        switch store {
        case .missing:
            return .hint(
                "\(folder) is not there; a station that may makes it at its start",
                next: "sudo install -d -o USER \(folder), with the station's user"
            )
        case .there(let isWritable?) where !isWritable:
            return .warning(
                "\(owner) may not write to \(folder)",
                next: "sudo chown -R USER \(folder), with the station's user"
            )
        case .there(isWritable: nil): return .ok("\(folder) is there")
        case .there:
            return .ok("\(owner) may write to \(folder)")
        }
    }

    /// A checkpoint that was missed is made up for by the next.
    private static let oldestSample = StoreConfiguration.checkpointInterval * 2

    @Sendable private static func history(_ facts: DoctorFacts) -> DoctorFinding {
        guard let folder = facts.configuration?.store?.folder, let last = facts.station.history
        else { return .skipped("no store is there") }
        switch last {
        case .noHistory: return .hint("there is no history in \(folder) yet")
        case .empty: return .ok("the history can be read and is empty yet")
        case .unreadable(let text):
            return .failure(text, next: "sudo roost store check \(folder)")
        case .taken(nil): return .hint("the history can be read; nothing dates its last sample")
        case .taken(let wall?):
            let text = "the history's last sample is of \(wall.iso8601)"
            guard let now = facts.station.now else { return .ok(text) }
            let age = Duration.nanoseconds(now.nanoseconds - wall.nanoseconds)
            let hours = "\(age.components.seconds / 3_600) h ago"
            guard age > oldestSample else { return .ok("\(text), \(hours)") }
            return .warning(
                "\(text), \(hours); it adjusts it every 6 h",
                next: "roost ledger, which says why nothing came"
            )
        }
    }
}

import ControlProtocol
import Provisioning

/// Versions and updates as lines of text.
enum UpdateText {
    static func description(_ report: UpdateReport) -> [String] {
        var lines = ["version  \(report.version)"]
        if let build = report.build { lines.append("build    \(build)") }
        lines.append("store    \(report.storeSchema) steps of its schema")
        if let board = report.board { lines.append("image    \(board)") }
        return lines
    }

    static func status(_ report: UpdateReport, _ state: TrialState) -> [String] {
        var lines = description(report)
        lines.append("root     \(report.slot.map { "\($0)" } ?? "none"), \(text(state))")
        if report.dataOn == "memory" {
            lines.append("data     in memory, and lost with the power: roost-said.txt says why")
        }
        let keys = report.keys ?? []
        let shown = keys.isEmpty ? "none: no update can be installed" : keys.joined(separator: ", ")
        lines.append("keys     \(shown)")
        if let last = report.last { lines.append("last     \(text(last))") }
        return lines
    }

    private static func text(_ state: TrialState) -> String {
        switch state {
        case .settled: "the good one"
        case .waiting(let slot): "the good one; root \(slot.rawValue) is tried at the next start"
        case .onTrial: "on trial: the next start is the other one's until this one is good"
        case .fellBack(let slot):
            "the good one again: root \(slot.rawValue) was tried and did not become good"
        case .standIn(let good): "as root \(good.rawValue), the good one, could not be started"
        }
    }

    private static func text(_ record: UpdateRecord) -> String {
        let version = record.version.map { "version \($0)" } ?? "an update"
        let outcome =
            switch record.state {
            case .writing: "is being written"
            case .waiting: "waits for a restart"
            case .good: "became good"
            case .fellBack: "did not become good"
            case .refused: "was refused"
            case .failed: "could not be written"
            case .takenBack: "was taken back"
            }
        let time = record.time.map { " (\($0))" } ?? ""
        return "\(version) \(outcome)\(time)\(record.why.map { ": \($0)" } ?? "")"
    }

    static func installed(_ record: UpdateRecord) -> [String] {
        [
            "version \(record.version ?? "") is written and compared; it starts with the next "
                + "restart (sudo reboot), and is good once the station is as well as now"
        ]
    }
}

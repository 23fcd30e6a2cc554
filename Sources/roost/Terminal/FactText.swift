import ControlProtocol
import Core

/// Facts of events and devices as text for people.
enum FactText {
    /// In the order of the table: `awake` and `12 s`.
    static func pairs(_ details: Details) -> [(label: String, value: String)] {
        details.facts.map { ($0, FactRow.named($0.name)) }
            .sorted { $0.1.isBefore($1.1) }
            .map { fact, row in (row.label, fact.value.text + row.unit) }
    }

    /// In one line: `restarts=1 reason=disconnected`.
    static func line(_ details: Details) -> String {
        pairs(details).map { "\($0.label)=\($0.value)" }.joined(separator: " ")
    }
}

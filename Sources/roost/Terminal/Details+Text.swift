import ControlProtocol
import Core

extension Details {
    /// Facts for people, in the order of the table: `laser time` and `12 s`.
    var texts: [(label: String, value: String)] {
        facts.map { ($0, FactRow.named($0.name)) }
            .sorted { $0.1.isBefore($1.1) }
            .map { fact, row in (row.label, fact.value.text + row.unit) }
    }

    /// Text for people in one line: `restarts=1 reason=disconnected`.
    var line: String { texts.map { "\($0.label)=\($0.value)" }.joined(separator: " ") }
}

package struct ImportValues: Question {
    package typealias Answer = ImportsReport
    package static let about = QuestionFacts(
        "imports",
        for: .courier,
        "Stores values of other programs' series."
    )
    /// 1…500.
    package let rows: [ImportRow]

    package init(_ rows: [ImportRow]) { self.rows = rows }

    package func check() throws(ControlFailure) {
        guard !(1...ImportRow.countMax).contains(rows.count) else { return }
        throw .badRequest("rows are 1 to \(ImportRow.countMax)")
    }
}

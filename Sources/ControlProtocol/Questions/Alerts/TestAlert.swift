package struct TestAlert: Question {
    package typealias Answer = AlertsReport
    package static let about = QuestionFacts(
        "testAlert",
        for: .peopleAndDashboard,
        "Sends a notice of a rule to its receivers, marked as a test."
    )
    /// The rule's id.
    package let name: String
    /// The measured value that the notice reports, below 1e9; nil for none.
    package var value: Double?
    /// The id of the only receiver; nil for all.
    package var receiver: String?

    package init(_ name: String, value: Double? = nil, receiver: String? = nil) {
        self.name = name
        self.value = value
        self.receiver = receiver
    }

    package func check() throws(ControlFailure) {
        if let value, !(abs(value) < 1e9) { throw .badRequest("value is below 1e9") }
        guard let receiver, !Self.isID(receiver) else { return }
        throw .badRequest(
            "receiver is the id of one: 1 to 32 of a…z, 0…9, - and _",
            at: "/receiver"
        )
    }

    private static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122) ~= $0 || (48...57) ~= $0 || $0 == 45 || $0 == 95
            }
    }
}

import Core

/// Delivery progress of one receiver, as bytes that the station keeps for it.
///
/// While ends of alerts have to wait, the age of the last notice of ends is its last field.
struct NoticeCursor: Hashable, Sendable {
    var lastNumber: Int64 = 0
    var sentCount = 0
    /// Time of the last notice, UTC; nil where no clock could be trusted.
    var sentTime: WallTime?
    /// Time since the last notice, when this was written.
    var sentAge: Duration = .seconds(86_400)
    /// Time since the last notice with only ended alerts; nil where the next need not wait.
    var endAge: Duration?
    /// Numbers of the alerts that it was sent, at most `NoticePlanner.limit`.
    var told: [Int64] = []

    init() {}
}

extension NoticeCursor: DeliveryCursor {
    static var kind: CursorKind { .notices }

    mutating func code(_ fields: inout CursorFields) {
        fields.number(&lastNumber)
        fields.number(&sentCount)
        fields.time(&sentTime)
        fields.seconds(&sentAge)
        fields.list(&told, upTo: NoticePlanner.limit, 0) { $0.number(&$1) }
        guard fields.goesOn(endAge != nil) else { return }
        var age = endAge ?? .zero
        fields.seconds(&age)
        endAge = age
    }
}

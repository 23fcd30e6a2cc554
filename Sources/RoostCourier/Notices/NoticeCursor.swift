import Core

/// Delivery progress of one receiver, as bytes that the station keeps for it.
///
/// Version 3 of the courier's cursors, all numbers unsigned LEB128: the version, the last number,
/// how many notices were sent, when the last was sent (seconds since 1970, 0 while that was
/// unknown) and how long that was ago, then the alerts that it knows: how many, and the number of
/// each. While ends of alerts have to wait, the age of the last notice of ends follows.
struct NoticeCursor: Hashable, Sendable {
    private static let version: UInt64 = 3

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

    func encode() -> [UInt8] {
        var out = VarintWriter()
        out.append(Self.version)
        out.append(UInt64(max(lastNumber, 0)))
        out.append(UInt64(sentCount))
        out.append(UInt64(max((sentTime?.nanoseconds ?? 0) / 1_000_000_000, 0)))
        out.append(UInt64(min(max(sentAge.components.seconds, 0), 86_400)))
        out.append(UInt64(told.count))
        for number in told { out.append(UInt64(max(number, 0))) }
        if let endAge { out.append(UInt64(min(max(endAge.components.seconds, 0), 86_400))) }
        return out.bytes
    }

    init(_ bytes: [UInt8]) throws(OutboxCursorError) {
        var input = VarintReader(bytes)
        let version = try input.next()
        guard version == Self.version else { throw .otherVersion(version) }
        lastNumber = Int64(try input.count(below: .max))
        sentCount = try input.count(below: .max)
        let seconds = try input.count(below: Int(Int32.max) * 4)
        sentTime = seconds > 0 ? WallTime(nanoseconds: Int64(seconds) * 1_000_000_000) : nil
        sentAge = .seconds(try input.count(below: 86_400))
        for _ in 0..<(try input.count(below: NoticePlanner.limit)) {
            told.append(Int64(try input.count(below: .max)))
        }
        if !input.isAtEnd { endAge = .seconds(try input.count(below: 86_400)) }
        guard input.isAtEnd else { throw .malformed }
    }
}

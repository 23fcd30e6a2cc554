import Core

/// Delivery progress of a receiver with subscribers, as bytes that the station keeps for it.
///
/// Version 4 of the courier's cursors, all numbers unsigned LEB128: the version, how many messages
/// were sent, when this was written (seconds since 1970, 0 while that was unknown) and how many
/// groups follow. Of each group: the interval in seconds, the last number, the age of the last
/// notice, and the alerts that it knows: how many, and the number of each. While ends of alerts
/// wait, the ages of the last notices of ends follow: 0 for a group where none wait, else a second
/// more.
struct PushCursor: Hashable, Sendable {
    private static let version: UInt64 = 4
    private static let groupLimit = 1_440
    /// Bytes at most; groups without room here begin with the raised alerts, and without a token.
    static let byteLimit = 1_000

    /// Subscribers with the same interval.
    struct Group: Hashable, Sendable {
        let interval: Int
        var lastNumber: Int64
        var sentAge: Duration
        var told: [Int64]
        /// Time since the last notice with only ended alerts; nil where the next need not wait.
        var endAge: Duration?
    }

    var sentCount = 0
    /// Time in UTC; nil where no clock could be trusted.
    var time: WallTime?
    var groups: [Group] = []

    init() {}

    func encode() -> [UInt8] {
        var kept: [VarintWriter] = []
        var ends = VarintWriter()
        var size = 24
        for group in groups.sorted(by: { $0.interval < $1.interval }) {
            var out = VarintWriter()
            out.append(UInt64(group.interval))
            out.append(UInt64(max(group.lastNumber, 0)))
            out.append(UInt64(min(max(group.sentAge.components.seconds, 0), 86_400)))
            out.append(UInt64(group.told.count))
            for number in group.told { out.append(UInt64(max(number, 0))) }
            // The age of the ends takes up to three bytes.
            guard size + out.bytes.count + 3 <= Self.byteLimit else { continue }
            size += out.bytes.count + 3
            kept.append(out)
            let age = group.endAge.map { min(max($0.components.seconds, 0), 86_400) + 1 }
            ends.append(UInt64(age ?? 0))
        }
        var out = VarintWriter()
        out.append(Self.version)
        out.append(UInt64(sentCount))
        out.append(UInt64(max(time?.unixSeconds ?? 0, 0)))
        out.append(UInt64(kept.count))
        let hasEnds = ends.bytes.contains { $0 != 0 }
        return out.bytes + kept.flatMap(\.bytes) + (hasEnds ? ends.bytes : [])
    }

    init(_ bytes: [UInt8]) throws(OutboxCursorError) {
        var input = VarintReader(bytes)
        let version = try input.next()
        guard version == Self.version else { throw .otherVersion(version) }
        sentCount = try input.count(below: .max)
        let seconds = try input.count(below: Int(Int32.max) * 4)
        time = seconds > 0 ? WallTime(nanoseconds: Int64(seconds) * 1_000_000_000) : nil
        for _ in 0..<(try input.count(below: Self.groupLimit)) {
            let interval = try input.count(below: 86_400)
            guard Subscriber.intervals.contains(interval) else { throw .malformed }
            var group = Group(
                interval: interval,
                lastNumber: Int64(try input.count(below: .max)),
                sentAge: .seconds(try input.count(below: 86_400)),
                told: []
            )
            for _ in 0..<(try input.count(below: NoticePlanner.limit)) {
                group.told.append(Int64(try input.count(below: .max)))
            }
            groups.append(group)
        }
        guard !input.isAtEnd else { return }
        for index in groups.indices {
            let age = try input.count(below: 86_401)
            groups[index].endAge = age > 0 ? .seconds(age - 1) : nil
        }
        guard input.isAtEnd else { throw .malformed }
    }
}

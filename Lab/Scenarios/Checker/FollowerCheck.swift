import Core

/// Demands of the cursors that a follower left what the station promises of them.
///
/// One that is found was left before, and is the newest; after the process or the power ended it
/// may be older, by no more than the loss window in which nothing was written.
struct FollowerCheck {
    let records: LifeRecords
    /// Whether a card lied, refused or rotted before an instant.
    let hasTrouble: (MonotonicInstant) -> Bool

    /// The loss window and the wait of a block for the card.
    private static let window = Duration.minutes(15)

    /// - Returns: How many were checked.
    /// - Throws: `Failure`.
    func run() throws -> Int {
        if let fault = records.tailFaults.first { throw Failure(description: "tail: \(fault)") }
        var said: [LifeRecords.Cursor] = []
        var count = 0
        for cursor in records.cursors {
            if cursor.isSaid {
                said.append(cursor)
                continue
            }
            count += 1
            let newest = said.last
            guard cursor.number != newest?.number else { continue }
            guard cursor.number.map({ number in said.contains { $0.number == number } }) ?? true
            else { throw Failure(description: "a cursor was found that no follower left") }
            guard !hasTrouble(cursor.at) else { continue }
            let owed = said.last { isOwed($0, before: cursor) }
            guard (cursor.number ?? -1) >= (owed?.number ?? -1) else {
                let found = cursor.number.map { "\($0)" } ?? "none"
                throw Failure(
                    description: "cursor \(owed?.number ?? -1) is lost, \(found) was found"
                )
            }
        }
        return count
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether it must be on the card: the same process still runs, or a sample came after it and
    /// there was time to write it.
    private func isOwed(_ said: LifeRecords.Cursor, before found: LifeRecords.Cursor) -> Bool {
        guard said.segment != found.segment else { return true }
        let end = records.segments[said.segment].end
        let limit = end.advanced(by: .zero - Self.window)
        return records.samples.contains { sample in
            Int(sample.segment) == said.segment && sample.at > said.at && sample.at < limit
        }
    }
}

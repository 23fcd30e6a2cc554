import Core
import Testing

@testable import Store

@Suite struct HistoryEventsTests {
    /// Blocks of events, some taken together, some in later transactions and lives.
    @Test(arguments: [1, 7, 40])
    func readsTheSameEventsForwardsAndBackwards(perTake: Int) throws {
        let folder = HistoryFolder()
        var number = 0
        for life in 0..<5 {
            let boot = BootID(bytes: Array(repeating: UInt8(life), count: 16))
            let born = number
            let (history, _) = try HistoryFile.open(
                path: folder.database,
                plan: StorePlan(.megabytes(4))
            )
            for _ in 0..<20 {
                var records: [JournalRecord] =
                    number == born
                    ? [.started(at: Tick(tenths: 0), version: "1")] : []
                for _ in 0..<perTake {
                    number += 1
                    let event = Event(
                        at: Tick(tenths: Int64(number - born) * 10).instant,
                        source: "door",
                        kind: .motion,
                        ["number": "\(number)"]
                    )
                    records.append(.event(event))
                }
                let payload = JournalRecordCodec.encode(records)
                let block = JournalBlock(sequence: history.cursor + 1, boot: boot, payload: payload)
                try history.append([block])
            }
            try history.close()
        }
        let reader = try HistoryReader(path: folder.database)
        var forwards: [Event] = []
        try HistoryEvents(reader).each { event in
            forwards.append(event.event)
            return true
        }
        let backwards = try HistoryEvents(reader).newest(.max) { _ in true }.map(\.event)
        #expect(backwards.count == number)
        #expect(forwards == backwards)
    }
}

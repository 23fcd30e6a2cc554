import Alerts
import ControlProtocol
import Core
import Store

/// The newest data of a station, which its history lacks.
package struct StationTail: Sendable {
    /// Where its store is; nil while it has none open.
    package let folder: String?
    package let tail: HistoryTail
    package let now: StoreTime?
    /// From where the station's newer records can be followed; nil while it has no store open.
    package let end: String?
    /// The newest block of the journal, and how much waits to become the next: both together grow
    /// with every record.
    package let newestSequence: UInt64
    package let waitingBytes: Int
    /// The limits that its pages go by.
    package let levels: LevelRule

    /// Asks for all pages.
    ///
    /// - Parameter ask: Asks one question, and returns its answer.
    /// - Throws: What `ask` throws.
    package init(_ ask: (GetTail) async throws -> TailReport) async throws {
        var pages: [TailReport] = []
        var from: String?
        repeat {
            let page = try await ask(GetTail(from: from))
            pages.append(page)
            from = page.next
        } while from != nil
        self.init(pages)
    }

    package init(_ pages: [TailReport]) {
        var tail = HistoryTail()
        let parts = pages.flatMap(\.parts)
        // The blocks are older than what none holds, which came first.
        for part in parts.filter({ $0.sequence != nil }) + parts.filter({ $0.sequence == nil }) {
            guard let boot = BootID(part.bootID) else { continue }
            if let sequence = part.sequence {
                tail.append(part.bytes, boot: boot, block: sequence)
            } else {
                tail.appendUnwritten(part.bytes, boot: boot, earliest: part.earliestSequence)
            }
        }
        self.tail = tail
        newestSequence = parts.compactMap(\.sequence).max() ?? 0
        waitingBytes = parts.filter { $0.sequence == nil }.reduce(0) { $0 + $1.bytes.count }
        levels = pages.first?.levels.flatMap(LevelRule.named) ?? .sampleLevels
        (folder, end) = (pages.first?.folder, pages.first?.end)
        now = pages.last.flatMap { page in
            page.bootID.flatMap { BootID($0) }.map {
                StoreTime(boot: $0, tick: Tick(tenths: Int64(page.nowSeconds * 10)))
            }
        }
    }
}

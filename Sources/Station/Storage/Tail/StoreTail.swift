import ControlProtocol
import Core
import Store

/// Hands out the records that are not in the history yet, page by page.
struct StoreTail {
    /// Payloads of one page, so that a line stays below 64 KiB: 4 KiB each, in base64.
    static let payloadsPerPage = 8

    let client: StoreClient

    /// One page of the records that are not in the history yet.
    ///
    /// - Parameter place: `next` of the page before; nil for the first page. One of `records` has
    ///   no page here.
    /// - Returns: The parts, oldest first, and where the next page begins.
    /// - Throws: `StoreError`; `CancellationError`.
    func page(
        from place: StoreTailPosition?
    ) async throws -> (parts: [TailReport.Part], next: StoreTailPosition?) {
        switch place ?? .queue(0) {
        case .queue(let number):
            guard let page = client.unwritten(from: number, limit: Self.payloadsPerPage) else {
                return ([], nil)
            }
            let boot = client.context.bootID.description
            let parts = page.payloads.enumerated().map { index, payload in
                TailReport.Part(
                    earliestSequence: page.earliest + UInt64(index),
                    bootID: boot,
                    payload: payload
                )
            }
            return (parts, page.next.map { .queue($0) } ?? .journal(after: 0))
        case .journal(let sequence):
            let page = try await client.waitingBlocks(after: sequence, limit: Self.payloadsPerPage)
            let parts = page.blocks.flatMap { Self.parts(of: $0, page) }
            guard let last = page.blocks.last, page.blocks.count == Self.payloadsPerPage else {
                return (parts + openLoss(of: page), nil)
            }
            return (parts, .journal(after: last.sequence))
        case .records: return ([], nil)
        }
    }

    /// A block, after what is known of those that were lost before it.
    private static func parts(of block: JournalBlock, _ page: JournalPage) -> [TailReport.Part] {
        let losses = page.losses.filter { $0.before == block.sequence }.map { loss in
            part(loss.event, loss.boot, sequence: block.sequence)
        }
        let whole = TailReport.Part(
            sequence: block.sequence,
            bootID: block.boot.description,
            payload: block.payload
        )
        return losses + [whole]
    }

    /// Records lost after the last block, up to the first one that no block holds, or to now.
    private func openLoss(of page: JournalPage) -> [TailReport.Part] {
        guard let from = page.openLoss else { return [] }
        var tail = HistoryTail()
        let boot = client.context.bootID
        for payload in client.unwritten(from: 0, limit: 1)?.payloads ?? [] {
            tail.append(payload, boot: boot)
        }
        let to = GapMark.Place(boot, tail.firstTick ?? Tick(client.context.clock.now))
        guard from.boot != to.boot || from.tick < to.tick else { return [] }
        let event = GapMark(.damaged, of: nil, from: from, to: to).event(
            at: to.tick.instant,
            in: boot
        )
        return [Self.part(event, boot, sequence: (page.blocks.last?.sequence ?? 0) + 1)]
    }

    private static func part(
        _ event: Event,
        _ boot: BootID,
        sequence: UInt64
    ) -> TailReport.Part {
        TailReport.Part(
            sequence: sequence,
            bootID: boot.description,
            payload: JournalRecordCodec.encode([.event(event)])
        )
    }
}

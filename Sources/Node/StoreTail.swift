import ControlProtocol
import Readings
import Store

/// Where the next page of what the history lacks begins; see `TailReport`.
enum StoreTailPlace: Hashable {
    /// Batches ever taken off the queue, and those passed over.
    case queue(Int)
    /// After a block of the journal.
    case journal(after: UInt64)

    /// As it travels: `q17`, `j4711`.
    var text: String {
        switch self {
        case .queue(let number): "q\(number)"
        case .journal(let sequence): "j\(sequence)"
        }
    }

    init?(_ text: String) {
        let number = text.dropFirst()
        switch text.first {
        case "q":
            guard let count = Int(number), count >= 0 else { return nil }
            self = .queue(count)
        case "j":
            guard let sequence = UInt64(number) else { return nil }
            self = .journal(after: sequence)
        default: return nil
        }
    }
}

extension StorePost {
    /// Payloads of one page, so that a line stays below 64 KiB: 4 KiB each, in base64.
    static let payloadsPerPage = 8

    /// One page of what the history has not taken yet.
    ///
    /// - Parameter place: `next` of the page before; nil for the first page.
    /// - Returns: The parts, oldest first, and where the next page begins.
    /// - Throws: `StoreError`; `CancellationError`.
    func tail(
        from place: StoreTailPlace?
    ) async throws -> (parts: [TailReport.Part], next: StoreTailPlace?) {
        switch place ?? .queue(0) {
        case .queue(let number):
            guard let (payloads, next) = unwritten(from: number, limit: Self.payloadsPerPage) else {
                return ([], nil)
            }
            let boot = context.bootID.description
            let parts = payloads.map {
                TailReport.Part(sequence: nil, bootID: boot, payload: $0)
            }
            return (parts, next.map { .queue($0) } ?? .journal(after: 0))
        case .journal(let sequence):
            let blocks = try await waitingBlocks(after: sequence, limit: Self.payloadsPerPage)
            let parts = blocks.map {
                TailReport.Part(
                    sequence: $0.sequence,
                    bootID: $0.boot.description,
                    payload: $0.payload
                )
            }
            guard let last = blocks.last, blocks.count == Self.payloadsPerPage else {
                return (parts, nil)
            }
            return (parts, .journal(after: last.sequence))
        }
    }
}

extension StationContext {
    /// The kernel's id of this boot; zeros where it gives none.
    var bootID: BootID {
        platform.figures.bootID.flatMap(BootID.init)
            ?? BootID(bytes: Array(repeating: 0, count: 16))
    }
}

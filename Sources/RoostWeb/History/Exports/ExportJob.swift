import Core
import Store
import StoreQueries
import Synchronization

/// An export that is made piece by piece, each when the client has taken the one before.
///
/// It has a history of its own, so that it shows one state of it from its first row to its last.
final class ExportJob: Sendable {
    private final class Run {
        private let history: OpenHistory
        private let plan: ExportPlan
        private var text: ExportText
        private var source: ExportSamples
        private let pieces = Pieces()
        private var isOver = false

        init(_ history: OpenHistory, _ plan: ExportPlan) throws {
            (self.history, self.plan) = (history, plan)
            source = try ExportSamples(history, plan)
            text = Self.text(plan, pieces)
        }

        func next() throws -> [UInt8]? {
            while pieces.waiting.isEmpty, !isOver { isOver = try !text.step(&source) }
            return pieces.waiting.isEmpty ? nil : pieces.waiting.removeFirst()
        }

        func rewind() throws {
            pieces.waiting = []
            source = try ExportSamples(history, plan)
            text = Self.text(plan, pieces)
            isOver = false
        }

        private static func text(_ plan: ExportPlan, _ pieces: Pieces) -> ExportText {
            ExportText(plan.format) { pieces.waiting.append($0) }
        }
    }

    /// Pieces that `ExportText` has made.
    private final class Pieces {
        var waiting: [[UInt8]] = []
    }

    private let run: Mutex<Run>
    private let seat: ExportLimiter.Seat
    /// Range of the export, with its end fixed.
    let range: TimeRange
    let tag: ExportTag

    /// An export at its beginning.
    ///
    /// - Parameters:
    ///   - seat: Given back at `end()`, at the latest with the job.
    /// - Throws: `Problem` `not-found` for a channel that is not there; what the store throws.
    init(
        _ history: sending OpenHistory,
        _ question: ExportQuestion,
        _ seat: ExportLimiter.Seat
    ) throws {
        let plan = try ExportPlan(question, history)
        (range, tag, self.seat) = (plan.range, plan.tag, seat)
        run = Mutex(try Run(history, plan))
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: What the store throws.
    func next() throws -> [UInt8]? { try run.withLock { try $0.next() } }

    /// Gives the seat back.
    ///
    /// Before the last bytes are sent: a client that has them may ask for the next export at once.
    func end() { seat.release() }

    /// Starts again, with the same history.
    ///
    /// - Throws: What the store throws.
    func rewind() throws { try run.withLock { try $0.rewind() } }
}

import Core
import StoreQueries
import Synchronization

/// The bGeigie log of one survey, read from the history piece by piece as the client takes it.
final class SafecastLog: Sendable {
    /// A piece ends with the line that reaches this many bytes.
    private static let pieceMax = 64 << 10

    private struct Run {
        /// The history that the log reads.
        let history: OpenHistory
        /// The log; nil for a survey without a sample of a counter.
        var log: DriveLog?
        var isBegun = false
        /// The permission to export; `next` releases it when it returns nil, after the last piece.
        var seat: ExportLimiter.Seat?
    }

    private let run: Mutex<Run>

    /// - Parameters:
    ///   - seat: Released after the last piece, or with this object.
    /// - Throws: `Problem` for a survey that is missing or private; errors of the store.
    init(
        of name: String,
        _ choice: DriveLog.Choice,
        _ history: sending OpenHistory,
        _ seat: ExportLimiter.Seat
    ) throws {
        let (reader, times) = (history.reader, history.times)
        guard let survey = try StoredSurvey.newest(named: name, reader, times) else {
            throw Problem.notFound("there is no survey \(name.prefix(60))")
        }
        guard !survey.isPrivate else {
            throw Problem(.forbidden, "this survey is marked *do not upload*")
        }
        let log = try DriveLog(of: survey, choice, reader, times)
        run = Mutex(Run(history: history, log: log, seat: seat))
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: Errors of the store.
    func next() throws -> [UInt8]? {
        try run.withLock { run in
            var piece: [UInt8] = []
            if !run.isBegun { piece = Array(BGeigieRecord.logHead.utf8) }
            run.isBegun = true
            while piece.count < Self.pieceMax, let line = try run.log?.next() {
                piece += Array(line.utf8) + [0x0D, 0x0A]
            }
            guard piece.isEmpty else { return piece }
            run.seat = nil
            return nil
        }
    }
}

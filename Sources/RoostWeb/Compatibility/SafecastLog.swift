import Core
import StoreQueries
import Synchronization

/// A drive's log that is made piece by piece, each when the client has taken the one before.
final class SafecastLog: Sendable {
    /// Bytes of a piece, before its last line.
    private static let pieceMax = 64 << 10

    private struct Run {
        /// The history that the log reads.
        let history: OpenHistory
        /// The log; nil for a survey without a sample of a counter.
        var log: DriveLog?
        var isBegun = false
        /// Released with the last piece: the client may ask for the next log once it has it.
        var seat: ExportLimiter.Seat?
    }

    private let run: Mutex<Run>

    /// - Parameters:
    ///   - seat: Given back with the last piece, or with the log.
    /// - Throws: `Problem` for a survey that is not there or stays here; what the store throws.
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
    /// - Throws: What the store throws.
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

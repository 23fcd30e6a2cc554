import Core
import RoostCourier

/// Deadlines of the stages of a transfer, and their failures.
struct TransferDeadlines {
    /// Progress of a transfer.
    struct Progress: Hashable {
        /// Time when it was passed to libcurl, after the look-up.
        var begunAt: MonotonicInstant
        var connectedAt: MonotonicInstant?
        /// Time when encryption was ready, or the connection where there is none.
        var readyAt: MonotonicInstant?
        /// Time when the last byte of the request was sent.
        var sentAt: MonotonicInstant?
        /// Time when the last byte was received.
        var receivedAt: MonotonicInstant?
        /// Bytes of the body that were sent.
        var sentCount = 0

        init(begunAt: MonotonicInstant) { self.begunAt = begunAt }
    }

    static let encryption: Duration = .seconds(15)
    static let betweenBytes: Duration = .seconds(20)
    /// Time in which an upload must move `uploadFloor` bytes.
    static let uploadWindow: Duration = .seconds(60)
    static let uploadFloor = 256 * 60

    let place: String
    private let connect: Duration
    /// Time from the last byte of the request to the first of the answer.
    var firstByte: Duration = .seconds(30)
    let whole: Duration
    private var window: (from: MonotonicInstant, count: Int)?

    /// - Parameters:
    ///   - place: Name of the server, for people.
    ///   - addressCount: With several, connecting may take twice as long.
    init(
        place: String,
        addressCount: Int,
        wholeSeconds: Int,
        connectLimit: Duration = CurlSettings().connectLimit
    ) {
        self.place = place
        connect = addressCount > 1 ? connectLimit * 2 : connectLimit
        whole = .seconds(wholeSeconds)
    }

    /// Returns the time of the next check, unless a deadline was missed.
    ///
    /// - Throws: `NetworkFailure` when a stage has taken too long.
    mutating func next(
        _ progress: Progress,
        now: MonotonicInstant
    ) throws(NetworkFailure) -> MonotonicInstant {
        let end = progress.begunAt.advanced(by: whole)
        let wasSent = progress.sentAt != nil
        guard now < end else {
            let words = "\(place) gave no whole answer within \(whole.components.seconds) s"
            throw NetworkFailure(.silent, words, wasSent: wasSent)
        }
        let (limit, failure) = stage(progress, now)
        guard now < limit else { throw failure }
        return min(limit, end)
    }

    private mutating func stage(
        _ progress: Progress,
        _ now: MonotonicInstant
    ) -> (MonotonicInstant, NetworkFailure) {
        guard let connectedAt = progress.connectedAt else {
            let words = "\(place) did not accept a connection within \(Self.seconds(connect))"
            return (progress.begunAt.advanced(by: connect), NetworkFailure(.connectTimedOut, words))
        }
        guard let readyAt = progress.readyAt else {
            let limit = Self.seconds(Self.encryption)
            let words =
                "\(place) accepted the connection and agreed on no encryption within " + limit
            return (connectedAt.advanced(by: Self.encryption), NetworkFailure(.encryption, words))
        }
        if let receivedAt = progress.receivedAt {
            let words = "\(place) stopped in the middle of its answer"
            let failure = NetworkFailure(.silent, words, wasSent: progress.sentAt != nil)
            return (receivedAt.advanced(by: Self.betweenBytes), failure)
        }
        if let sentAt = progress.sentAt {
            let words = "\(place) took the request and was silent for \(Self.seconds(firstByte))"
            let failure = NetworkFailure(.silent, words, wasSent: true)
            return (sentAt.advanced(by: firstByte), failure)
        }
        return upload(progress, readyAt, now)
    }

    /// Checks that each window of an upload moves enough bytes.
    private mutating func upload(
        _ progress: Progress,
        _ readyAt: MonotonicInstant,
        _ now: MonotonicInstant
    ) -> (MonotonicInstant, NetworkFailure) {
        var open = window ?? (readyAt, 0)
        if now >= open.from.advanced(by: Self.uploadWindow),
            progress.sentCount - open.count >= Self.uploadFloor
        {
            open = (now, progress.sentCount)
        }
        window = open
        let limit = Self.seconds(Self.uploadWindow)
        let words = "\(place) takes less than \(Self.uploadFloor) bytes in \(limit)"
        return (open.from.advanced(by: Self.uploadWindow), NetworkFailure(.silent, words))
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(duration.components.seconds) s"
    }
}

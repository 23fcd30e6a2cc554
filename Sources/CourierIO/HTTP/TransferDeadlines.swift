import Core
import RoostCourier

/// How long each stage of a transfer may take, and what is said when one takes longer.
package struct TransferDeadlines {
    /// How far a transfer is.
    package struct Progress: Hashable {
        /// When it was handed to libcurl, after the look-up.
        package var begunAt: MonotonicInstant
        package var connectedAt: MonotonicInstant?
        /// When encryption was agreed on, or the connection was made where there is none.
        package var readyAt: MonotonicInstant?
        /// When the last byte of the request had been given away.
        package var sentAt: MonotonicInstant?
        /// When the last byte came.
        package var receivedAt: MonotonicInstant?
        /// Bytes of the body that were given away.
        package var sentCount = 0

        package init(begunAt: MonotonicInstant) { self.begunAt = begunAt }
    }

    static let encryption: Duration = .seconds(15)
    static let betweenBytes: Duration = .seconds(20)
    /// An upload moves `uploadFloor` bytes in each of these.
    static let uploadWindow: Duration = .seconds(60)
    static let uploadFloor = 256 * 60

    let place: String
    private let connect: Duration
    /// From the last byte of the request to the first of the answer.
    var firstByte: Duration = .seconds(30)
    let whole: Duration
    private var window: (from: MonotonicInstant, count: Int)?

    /// - Parameters:
    ///   - place: Of the server, for people.
    ///   - addressCount: With several, connecting may take twice as long.
    package init(
        place: String,
        addressCount: Int,
        wholeSeconds: Int,
        connectLimit: Duration = CurlSettings().connectLimit
    ) {
        self.place = place
        connect = addressCount > 1 ? connectLimit * 2 : connectLimit
        whole = .seconds(wholeSeconds)
    }

    /// When to look again.
    ///
    /// - Throws: `NetworkFailure` when a stage has taken too long.
    package mutating func next(
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

    /// While the request is sent, each window moves some bytes.
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

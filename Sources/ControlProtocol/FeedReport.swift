import FoundationEssentials

/// What came after the places of a `feed` request.
///
/// A follower keeps `next` and asks again with it: it then gets each sample and event once, in the
/// order of each stream. Without `ControlRequest.after` there are no records, and `next` is the
/// present end: that is where one begins who wants nothing old.
package struct FeedReport: Codable, Hashable, Sendable {
    /// Records of one boot, oldest first.
    package struct Part: Codable, Hashable, Sendable {
        /// Thirty-two hexadecimal digits.
        package let bootID: String
        /// As in a journal block: `SPEC.md`, *Records*; in base64.
        ///
        /// Samples, events, anchors, and before the samples of a stream its description. Rows of a
        /// stream with the same tick are never in two reports.
        private let payload: Data

        package init(bootID: String, payload: [UInt8]) {
            (self.bootID, self.payload) = (bootID, Data(payload))
        }

        package var bytes: [UInt8] { Array(payload) }
    }

    /// An event that people shall hear of: one with the detail `n`.
    package struct Notice: Codable, Hashable, Sendable {
        /// Counts up over the store's life.
        package let n: Int64
        /// Thirty-two hexadecimal digits.
        package let bootID: String
        /// Since that boot.
        package let nanoseconds: Int64
        package let event: EventReport

        package init(n: Int64, bootID: String, nanoseconds: Int64, event: EventReport) {
            (self.n, self.bootID, self.nanoseconds, self.event) = (n, bootID, nanoseconds, event)
        }
    }

    /// Oldest first; empty when the wait ended without any, and with `older`.
    package let parts: [Part]
    /// Lowest `n` first; they are among the events of `parts` as well.
    package let notices: [Notice]
    /// Where the next question begins: `ControlRequest.after`.
    package let next: FeedPlaces
    /// The history has records after the places asked for: read it first, then ask again.
    ///
    /// Then there are no parts, and `next` is what was asked.
    package let older: Bool
    /// A place names a boot that the station does not know, or lies beyond its newest record: it
    /// was lost with the power, or is older than the history remembers.
    ///
    /// Then there are no parts, and `next` has the newest durable places for those that are lost.
    package let lost: Bool
    /// Whether the limit left something out: ask again at once.
    package let hasMore: Bool
    /// Where the station's store is; nil while it has none open.
    package let folder: String?
    /// The boot that the station runs in, as 32 hexadecimal digits.
    package let bootID: String
    /// Seconds since that boot, now.
    package let nowSeconds: Double
    /// What the clock says now, for the times of this boot.
    package let clock: ClockReport

    package init(
        parts: [Part] = [],
        notices: [Notice] = [],
        next: FeedPlaces,
        state: State = State(),
        station: Place
    ) {
        (self.parts, self.notices, self.next) = (parts, notices, next)
        (older, lost, hasMore) = (state.older, state.lost, state.hasMore)
        (folder, bootID) = (station.folder, station.bootID)
        (nowSeconds, clock) = (station.nowSeconds, station.clock)
    }

    /// Why an answer is not all there is.
    package struct State: Hashable, Sendable {
        package var older = false
        package var lost = false
        package var hasMore = false

        package init(older: Bool = false, lost: Bool = false, hasMore: Bool = false) {
            (self.older, self.lost, self.hasMore) = (older, lost, hasMore)
        }
    }

    /// Where and when the answer was made.
    package struct Place: Hashable, Sendable {
        package let folder: String?
        package let bootID: String
        package let nowSeconds: Double
        package let clock: ClockReport

        package init(folder: String?, bootID: String, nowSeconds: Double, clock: ClockReport) {
            (self.folder, self.bootID) = (folder, bootID)
            (self.nowSeconds, self.clock) = (nowSeconds, clock)
        }
    }
}

/// When a `feed` with samples is worth an answer.
package struct FeedCondition: Codable, Hashable, Sendable {
    /// So many samples are there, 1…10 000.
    package let atLeast: Int
    /// The oldest of them has waited so long, 0…86 400 s; nil waits for `atLeast` alone.
    package let orAfterSeconds: Double?
    /// Whether a motion is worth an answer at once; nil is no.
    package let motions: Bool?

    package init(atLeast: Int = 1, orAfterSeconds: Double? = nil, motions: Bool? = nil) {
        (self.atLeast, self.orAfterSeconds) = (atLeast, orAfterSeconds)
        self.motions = motions
    }
}

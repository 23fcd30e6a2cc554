import FoundationEssentials

/// Records after the positions of a `feed` request.
///
/// A follower keeps `next` and asks again with it: it then gets each sample and event once, in the
/// order of each stream. Without `ControlRequest.after` there are no records, and `next` is the
/// present end: the start for a follower that wants no old records.
package struct FeedReport: Codable, Hashable, Sendable {
    /// Records of one boot, oldest first.
    package struct Part: Codable, Hashable, Sendable {
        /// Thirty-two hexadecimal digits.
        package let bootID: String
        /// Records in the format of a journal block, in base64: `SPEC.md`, *Records*.
        ///
        /// Samples, events, anchors, and before the samples of a stream its description. Rows of a
        /// stream with the same tick are never in two reports.
        private let payload: Data

        package init(bootID: String, payload: [UInt8]) {
            (self.bootID, self.payload) = (bootID, Data(payload))
        }

        package var bytes: [UInt8] { Array(payload) }
    }

    /// Oldest first; empty when the wait ended without any, and with `older`.
    package let parts: [Part]
    /// Start of the next request: `ControlRequest.after`.
    package let next: FeedPlaces
    /// The history already has records after these positions: read it first, then ask again.
    ///
    /// Then there are no parts, and `next` repeats the request's positions.
    package let older: Bool
    /// A position names an unknown boot, or lies beyond the newest record: it was lost in a power
    /// cut, or is older than the history.
    ///
    /// Then there are no parts, and `next` has the newest durable positions for the lost ones.
    package let lost: Bool
    /// Whether the limit left something out: ask again at once.
    package let hasMore: Bool
    /// Folder of the station's store; nil while it has none open.
    package let folder: String?
    /// The boot that the station runs in, as 32 hexadecimal digits.
    package let bootID: String
    /// Seconds since that boot, now.
    package let nowSeconds: Double
    /// The clock now, for the times of this boot.
    package let clock: ClockReport

    package init(
        parts: [Part] = [],
        next: FeedPlaces,
        state: State = State(),
        station: Place
    ) {
        (self.parts, self.next) = (parts, next)
        (older, lost, hasMore) = (state.older, state.lost, state.hasMore)
        (folder, bootID) = (station.folder, station.bootID)
        (nowSeconds, clock) = (station.nowSeconds, station.clock)
    }

    /// Why an answer is incomplete.
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

/// The condition under which a `feed` request is answered.
package struct FeedCondition: Codable, Hashable, Sendable {
    /// Number of samples to wait for, 1…10 000.
    package let atLeast: Int
    /// Longest wait of the oldest sample, 0…86 400 s; nil waits for `atLeast` only.
    package let orAfterSeconds: Double?
    /// Whether a motion is answered at once; nil is no.
    package let motions: Bool?

    package init(atLeast: Int = 1, orAfterSeconds: Double? = nil, motions: Bool? = nil) {
        (self.atLeast, self.orAfterSeconds) = (atLeast, orAfterSeconds)
        self.motions = motions
    }
}

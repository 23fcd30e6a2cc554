import Core

/// Samples of one stream, of one boot, oldest first, as a source gives them.
package struct OutboxPage: Hashable, Sendable {
    package let stream: StreamID
    package let boot: BootID
    package let bootNumber: Int
    /// Whether the machine still runs in this boot, so that its clock may yet be trusted.
    package let isPresent: Bool
    package var samples: [OutboxSample]

    package init(
        stream: StreamID,
        boot: BootID,
        bootNumber: Int,
        isPresent: Bool,
        samples: [OutboxSample]
    ) {
        (self.stream, self.boot, self.bootNumber) = (stream, boot, bootNumber)
        (self.isPresent, self.samples) = (isPresent, samples)
    }

    func place(_ sample: OutboxSample) -> OutboxPosition {
        OutboxPosition(boot: boot, bootNumber: bootNumber, tick: sample.tick)
    }

    /// Age of a sample, as far as it is certain.
    enum Age: Hashable {
        case young
        case old
        /// The date says that it is old; a later date may say that it is not.
        case unsure
    }

    /// Judges whether a sample is older than a limit.
    ///
    /// The running time decides in the present boot; an earlier sample is as old as this boot, and
    /// older by its date.
    ///
    /// - Parameters:
    ///   - limit: Age above which a sample is old.
    ///   - dates: Say what date it is.
    /// - Returns: The age.
    func age(of sample: OutboxSample, limit: Duration, _ dates: LeastDate) -> Age {
        let start = isPresent ? sample.tick.instant : .boot
        guard start.duration(to: dates.clock.now) <= limit else { return .old }
        guard !isPresent else { return .young }
        guard let time = sample.time else { return .unsure }
        if let least = dates.seconds, isOlder(time, by: limit, at: least) { return .old }
        guard let wall = dates.clock.wallTime else { return .unsure }
        return isOlder(time, by: limit, at: wall.nanoseconds / 1_000_000_000) ? .unsure : .young
    }

    /// Removes samples of unsure age, which a receiver that stamps by arrival must not get.
    ///
    /// A sample is surely older than the limit once this boot is.
    ///
    /// - Returns: Whether something was kept back.
    mutating func holdUnsure(_ traits: SampleTargetTraits, _ dates: LeastDate) -> Bool {
        guard let limit = traits.ageLimit, traits.dating == .unneeded,
            let first = samples.firstIndex(where: {
                age(of: $0, limit: limit, dates) == .unsure
            })
        else { return false }
        samples.removeSubrange(first...)
        return true
    }

    func isOld(_ sample: OutboxSample, _ limit: Duration, _ dates: LeastDate) -> Bool {
        age(of: sample, limit: limit, dates) == .old
    }

    private func isOlder(_ time: WallTime, by limit: Duration, at seconds: Int64) -> Bool {
        .seconds(seconds - time.nanoseconds / 1_000_000_000) > limit
    }
}

/// Reader of the samples in a store, for the outbox.
package protocol OutboxSampleSource: Sendable {
    /// Lists the streams that have samples, in the order of their numbers.
    func streams() async throws -> [StreamID]

    /// Returns the numbers of the boots that the store knows, the present one included.
    func boots() async throws -> [BootID: Int]

    /// Counts the samples of a stream after a place, and returns the newest one's place.
    ///
    /// - Parameters:
    ///   - place: nil counts all that there are.
    /// - Returns: The count, and the place of the newest; nil when there is none.
    /// - Throws: Errors of reading the store.
    func count(
        of stream: StreamID,
        after place: OutboxPosition?
    ) async throws -> (count: Int, newest: OutboxPosition?)

    /// Reads the next samples after a place, of one boot; equal ticks are never split.
    ///
    /// - Parameters:
    ///   - place: nil begins with the oldest.
    ///   - limit: 1…5 000.
    /// - Returns: nil when there is none.
    /// - Throws: Errors of reading the store.
    func page(
        of stream: StreamID,
        after place: OutboxPosition?,
        limit: Int
    ) async throws -> OutboxPage?

    /// Finds the last place that is not later than a moment; nil where no sample is dated.
    ///
    /// Its boot is known; the stream itself may have no sample there.
    func place(notAfter moment: WallTime) async throws -> OutboxPosition?

    /// Waits until something was recorded since the last call, or the window opens.
    ///
    /// - Returns: The `count` for the next call.
    /// - Throws: `CancellationError`.
    func change(
        since count: UInt64,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> UInt64
}

extension OutboxSampleSource {
    package func place(notAfter moment: WallTime) async throws -> OutboxPosition? { nil }
}

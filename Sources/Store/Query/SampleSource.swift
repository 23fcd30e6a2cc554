import Core

/// One sample with all columns of an export.
package struct DatedSample: Hashable, Sendable {
    package let stream: StreamDescription
    package let boot: BootID
    package let tick: Tick
    /// Wall time of the sample; nil when nothing dates its boot.
    package let wall: WallTime?
    /// Whether `wall` comes from a trusted clock.
    package let isSure: Bool
    /// Outcomes, one for each of the stream's quantities.
    package let outcomes: [Outcome]

    package init(
        stream: StreamDescription,
        boot: BootID,
        tick: Tick,
        time: ClockAnchors.Time?,
        outcomes: [Outcome]
    ) {
        self.stream = stream
        self.boot = boot
        self.tick = tick
        wall = time?.wall
        isSure = time?.isSure ?? false
        self.outcomes = outcomes
    }
}

extension DatedSample {
    /// Its outcomes as readings of its channels.
    package var readings: [Reading] {
        zip(stream.channels, outcomes).map { Reading($0, at: tick.instant, $1) }
    }

    /// The second of its time since 1970; nil when nothing dates its boot.
    package var second: Int? {
        wall.map { Int($0.nanoseconds).flooredDivision(by: 1_000_000_000).quotient }
    }

    /// The sample with some of its quantities, without values that have one of these flags.
    ///
    /// - Parameters:
    ///   - places: Which quantities; nil for all.
    ///   - flags: Values with one of them are left out.
    /// - Returns: Nil when nothing is left.
    package func keeping(_ places: [Int]?, without flags: Quality) -> DatedSample? {
        var kept = places ?? Array(outcomes.indices)
        if !flags.isEmpty {
            kept.removeAll { place in
                guard case .value(_, let quality) = outcomes[place] else { return false }
                return !quality.isDisjoint(with: flags)
            }
            if kept.isEmpty { return nil }
        }
        if kept.count == outcomes.count { return self }
        return DatedSample(
            stream: StreamDescription(
                id: stream.id,
                device: stream.device,
                quantities: kept.map { stream.quantities[$0] }
            ),
            boot: boot,
            tick: tick,
            time: wall.map { ClockAnchors.Time(wall: $0, isSure: isSure) },
            outcomes: kept.map { outcomes[$0] }
        )
    }
}

/// Gives samples one after the other, oldest first, holding few of them at a time.
package protocol SampleSource {
    /// The next sample; nil at the end.
    ///
    /// - Throws: The store's error; an export passes it on.
    mutating func next() throws -> DatedSample?
}

/// Samples from a sequence; for tests and for tails held in memory.
struct SequenceSource<Samples: Sequence<DatedSample>>: SampleSource {
    private var iterator: Samples.Iterator

    init(_ samples: Samples) { iterator = samples.makeIterator() }

    mutating func next() -> DatedSample? { iterator.next() }
}

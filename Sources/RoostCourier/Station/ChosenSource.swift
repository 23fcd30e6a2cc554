import Core

/// The part of a source that one target gets: the channels that its owner chose.
struct ChosenSource: OutboxSampleSource {
    /// Returns the streams of a source with their device and channels.
    package typealias Describe = @Sendable () async -> [StreamID: (String, [Quantity])]

    private let source: any OutboxSampleSource
    private let choice: StreamChoice
    private let describe: Describe

    init(
        _ source: any OutboxSampleSource,
        _ choice: StreamChoice,
        describe: @escaping Describe
    ) {
        (self.source, self.choice, self.describe) = (source, choice, describe)
    }

    func streams() async throws -> [StreamID] {
        let known = await describe()
        return try await source.streams().filter { stream in
            guard let (device, quantities) = known[stream] else { return false }
            return quantities.contains { choice.takes(device, $0.name) }
        }
    }

    func boots() async throws -> [BootID: Int] { try await source.boots() }

    func count(
        of stream: StreamID,
        after place: OutboxPosition?
    ) async throws -> (count: Int, newest: OutboxPosition?) {
        try await source.count(of: stream, after: place)
    }

    func page(
        of stream: StreamID,
        after place: OutboxPosition?,
        limit: Int
    ) async throws -> OutboxPage? {
        guard var page = try await source.page(of: stream, after: place, limit: limit) else {
            return nil
        }
        page.samples = page.samples.map { sample in
            let kept = sample.quantities.indices.filter {
                choice.takes(sample.device, sample.quantities[$0].name)
            }
            return kept.count == sample.quantities.count ? sample : sample.keeping(kept)
        }
        return page
    }

    func place(notAfter moment: WallTime) async throws -> OutboxPosition? {
        try await source.place(notAfter: moment)
    }

    func change(
        since count: UInt64,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> UInt64 {
        try await source.change(since: count, until: deadline, tolerance: tolerance)
    }
}

extension OutboxSample {
    fileprivate func keeping(_ indices: [Int]) -> OutboxSample {
        var sample = OutboxSample(
            stream: stream,
            at: (boot, tick),
            time: time,
            device: device,
            quantities: indices.map { quantities[$0] },
            outcomes: indices.map { outcomes[$0] }
        )
        sample.isPrivate = isPrivate
        return sample
    }
}

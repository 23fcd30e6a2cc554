import Core

/// Samples and channels that a target refused while it accepted others.
///
/// A single sample that a server fails at is tried again by itself, with back-off. Bound:
/// `sampleLimit` samples, the newest, and `asideLimit` that are tried again.
struct OutboxRefusals: Sendable {
    static let sampleLimit = 256
    /// Samples set aside at most: each takes 8 bytes of the cursor's 1 024.
    static let asideLimit = 16

    private struct Aside {
        let sample: RefusedSample
        /// Device and time of the sample, for people; nil until it was read again.
        var name: String?
        var reason: DeliveryReason?
        var delay: RetryDelay
        var due: MonotonicInstant
    }

    /// Samples refused since the task began, and those that an earlier process tried again.
    private(set) var samples: [RefusedSample] = []
    private var waiting: [Aside] = []
    /// Channels whose refusal was reported.
    private var channels: Set<String> = []

    init() {}

    /// Restores the samples that an earlier process tried again.
    init(_ asides: [RefusedSample], at now: MonotonicInstant) {
        samples = asides
        for sample in asides { wait(sample, nil, at: now) }
    }

    /// Samples that are tried again by themselves.
    var asides: [RefusedSample] { waiting.map(\.sample) }

    /// Time when the next sample is due; nil without one.
    var next: MonotonicInstant? { waiting.map(\.due).min() }

    /// Returns the sample that is due first.
    func first(at now: MonotonicInstant) -> RefusedSample? {
        waiting.min { $0.due < $1.due }.flatMap { $0.due <= now ? $0.sample : nil }
    }

    /// Lists the channels and samples that are refused now, for reports.
    func present(_ channels: [String: DeliveryReason]) -> [DeliveryStanding.Refusal] {
        let ofChannels = channels.sorted { $0.key < $1.key }.map { name, reason in
            DeliveryStanding.Refusal(name: "channel \(name)", reason: reason)
        }
        return ofChannels
            + waiting.map { aside in
                let (stream, tick) = (aside.sample.stream, aside.sample.place.tick)
                let name = aside.name ?? "stream \(stream.rawValue) at tick \(tick.tenths)"
                return .init(name: "a sample of \(name)", reason: aside.reason, kind: "samples")
            }
    }

    /// Records which channels are refused.
    ///
    /// - Returns: Events to report of those that were not there before.
    mutating func see(_ present: [String: DeliveryReason]) -> [DeliveryNotice] {
        let new = present.filter { !channels.contains($0.key) }.sorted { $0.key < $1.key }
        channels = Set(present.keys)
        return new.map { .refused(.channel($0.key), samples: nil, $0.value) }
    }

    mutating func add(_ notice: DeliveryNotice, at now: MonotonicInstant) {
        guard case .refused(.sample(let sample), _, let reason) = notice else { return }
        samples.append(sample)
        if samples.count > Self.sampleLimit { samples.removeFirst() }
        if reason.isServerFault { wait(sample, reason, at: now) }
    }

    private mutating func wait(
        _ sample: RefusedSample,
        _ reason: DeliveryReason?,
        at now: MonotonicInstant
    ) {
        if waiting.count >= Self.asideLimit { waiting.removeFirst() }
        var delay = RetryDelay(seed: UInt64(bitPattern: sample.place.tick.tenths))
        let due = now.advanced(by: delay.fail())
        waiting.append(Aside(sample: sample, reason: reason, delay: delay, due: due))
    }

    mutating func name(_ refused: RefusedSample, _ sample: OutboxSample) {
        guard let index = waiting.firstIndex(where: { $0.sample == refused }) else { return }
        waiting[index].name = sample.device + (sample.time.map { " at \($0.iso8601)" } ?? "")
    }

    mutating func remove(_ sample: RefusedSample) {
        samples.removeAll { $0 == sample }
        waiting.removeAll { $0.sample == sample }
    }

    /// Records another attempt at a sample; nil where the sample is no longer there.
    mutating func settle(
        _ sample: RefusedSample,
        _ outcome: DeliveryOutcome?,
        at now: MonotonicInstant
    ) {
        guard let index = waiting.firstIndex(where: { $0.sample == sample }) else { return }
        switch outcome {
        case nil, .delivered, .refused, .partly: waiting.remove(at: index)
        case .later(let reason, let seconds):
            waiting[index].reason = reason
            waiting[index].due = now.advanced(by: waiting[index].delay.fail(afterSeconds: seconds))
        case .hold(let reason), .foreign(let reason), .unknown(let reason):
            waiting[index].reason = reason
            waiting[index].due = now.advanced(by: waiting[index].delay.fail())
        }
    }
}

import Core

/// Samples and channels that a target refused while it took others.
///
/// A single sample that a server fails at is tried again by itself, with back-off. Bound:
/// `sampleLimit` samples, the newest, and `asideLimit` that are tried again.
struct OutboxRefusals: Sendable {
    static let sampleLimit = 256
    /// 8 bytes each of the 1 024 of a cursor.
    static let asideLimit = 16

    private struct Aside {
        let sample: RefusedSample
        /// Its device and time; nil until it was read again.
        var name: String?
        var reason: DeliveryReason?
        var delay: RetryDelay
        var due: MonotonicInstant
    }

    /// Since the task began, and those that an earlier process tried again.
    private(set) var samples: [RefusedSample] = []
    private var waiting: [Aside] = []
    /// Channels that were said to be refused.
    private var channels: Set<String> = []

    init() {}

    /// Goes on with what an earlier process tried again.
    init(_ asides: [RefusedSample], at now: MonotonicInstant) {
        samples = asides
        for sample in asides { wait(sample, nil, at: now) }
    }

    /// Those that are tried again by themselves.
    var asides: [RefusedSample] { waiting.map(\.sample) }

    /// When the next is due; nil without one.
    var next: MonotonicInstant? { waiting.map(\.due).min() }

    /// The one that is due first.
    func first(at now: MonotonicInstant) -> RefusedSample? {
        waiting.min { $0.due < $1.due }.flatMap { $0.due <= now ? $0.sample : nil }
    }

    /// Channels and samples that are refused now, for reports.
    func present(_ channels: [String: DeliveryReason]) -> [OutboxStanding.Refusal] {
        let ofChannels = channels.sorted { $0.key < $1.key }.map { name, reason in
            OutboxStanding.Refusal(name: "channel \(name)", reason: reason)
        }
        return ofChannels
            + waiting.map { aside in
                let (stream, tick) = (aside.sample.stream, aside.sample.place.tick)
                let name = aside.name ?? "stream \(stream.rawValue) at tick \(tick.tenths)"
                return .init(name: "a sample of \(name)", reason: aside.reason, kind: "samples")
            }
    }

    /// Notes which channels are refused.
    ///
    /// - Returns: Events to report of those that were not there before.
    mutating func see(_ present: [String: DeliveryReason]) -> [OutboxNotice] {
        let new = present.filter { !channels.contains($0.key) }.sorted { $0.key < $1.key }
        channels = Set(present.keys)
        return new.map { .refusedChannel($0.key, $0.value) }
    }

    mutating func add(_ notice: OutboxNotice, at now: MonotonicInstant) {
        guard case .refused(let stream, let place, _, let reason) = notice else { return }
        let sample = RefusedSample(stream: stream, place: place)
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

    /// One was tried again: nil where it is not there any more.
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

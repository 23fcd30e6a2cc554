import Core

/// Decides which samples a broker's clients see as the present state, and which as late.
///
/// A sample is the state when it was taken in the present boot, is younger than three intervals,
/// and is not older than the shown state: no old value is taken for the present one.
struct MQTTSamples: Sendable {
    /// A sample with the message that publishes it.
    struct Shown: Sendable {
        /// Index of the sample in the batch.
        let index: Int
        let sample: OutboxSample
        let message: BrokerMessage
        /// Time until which the sample is the present state; nil for a late one.
        let until: MonotonicInstant?
    }

    /// Devices whose newest state is kept at most.
    private static let deviceLimit = 64
    /// Seconds after which a sample is late, until the interval of its device is known.
    private static let unknownExpiry = 3

    private let payloads: MQTTPayloads
    /// Published state of each device, by topic.
    private var states: [String: Shown] = [:]

    init(_ payloads: MQTTPayloads) { self.payloads = payloads }

    /// Plans the messages of a batch, present samples first.
    func plan(_ batch: SampleBatch, _ view: BrokerStationView?, at now: MonotonicInstant) -> [Shown]
    {
        let all = batch.samples.enumerated().map { show($1, $0, view, at: now) }
        return all.filter { $0.until != nil } + all.filter { $0.until == nil }
    }

    private func show(
        _ sample: OutboxSample,
        _ index: Int,
        _ view: BrokerStationView?,
        at now: MonotonicInstant
    ) -> Shown {
        let age = sample.isOfPresentBoot ? sample.tick.instant.duration(to: now) : nil
        let interval = view?.devices.first { $0.name == sample.device }?.interval
        let expiry = view == nil ? Self.unknownExpiry : MQTTPayloads.expiry(interval)
        let newest = states[payloads.topics.state(sample.device)]?.sample.tick ?? sample.tick
        let isState = age.map { $0 <= .seconds(expiry) } ?? false && newest <= sample.tick
        return Shown(
            index: index,
            sample: sample,
            message: payloads.sample(sample, age: age, expiry: isState ? expiry : nil),
            until: isState ? sample.tick.instant.advanced(by: .seconds(expiry)) : nil
        )
    }

    /// Records a message that the broker has.
    mutating func keep(_ shown: Shown) {
        let topic = shown.message.topic
        guard shown.until != nil, states[topic] != nil || states.count < Self.deviceLimit
        else { return }
        states[topic] = shown
    }

    /// Returns the states that are still present, for a Home Assistant that restarts.
    func present(at now: MonotonicInstant) -> [BrokerMessage] {
        states.sorted { $0.key < $1.key }.compactMap { _, shown in
            let left = shown.until.map { now.duration(to: $0).components.seconds } ?? 0
            return left > 0 ? shown.message.expiring(in: Int(left)) : nil
        }
    }
}

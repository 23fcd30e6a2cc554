import Core

/// Target for Sensor.Community: the newest values of each device, dated by their arrival.
///
/// The service has no key for a value and cannot be asked, so no value is sent twice: a request
/// without an answer counts as sent. Samples between two requests are sent as their mean.
///
/// - Source: opendata-stuttgart/feinstaub-api, `feinstaub/sensors/{authentication,serializers}.py`.
struct SensorCommunityTarget: SampleTarget {
    static let standardURL: MaskedText =
        "https://api.sensor.community/v1/push-sensor-data/"

    let traits: SampleTargetTraits
    private let trust: ServerTrust
    private let url: MaskedText
    private let sensor: Secret
    private let pins: [String: Int]?
    private let station: StationIdentity

    /// - Parameters:
    ///   - url: The service's address, with its last slash.
    ///   - sensor: The id that is registered, as `raspi-…`: the only proof of ownership.
    ///   - pins: By device: 1 SDS, PMS, HPM and SPS; 3 BMP; 7 DHT; 11 BME280. Without them each
    ///     device that measures particulate matter goes under pin 1. A node with one sensor takes
    ///     any pin, so a climate sensor that is not registered would write into another one.
    ///   - trust: The certificates that the service may show.
    init(
        url: MaskedText = SensorCommunityTarget.standardURL,
        sensor: Secret,
        pins: [String: Int]?,
        station: StationIdentity,
        trust: ServerTrust = .system
    ) {
        (self.url, self.sensor, self.pins, self.station) = (url, sensor, pins, station)
        self.trust = trust
        var traits = SampleTargetTraits()
        traits.itemLimit = 2_000
        traits.ageLimit = .seconds(600)
        traits.repetition = .atMostOnce
        traits.liveInterval = .seconds(145)
        traits.pace = .seconds(60)
        traits.dating = .unneeded
        self.traits = traits
    }

    func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        pin(of: sample.device, sample.quantities) == nil
            ? .noValue : CommunityValues.leavesOut(sample)
    }

    func takes(_ channels: SampleChannels) -> Bool {
        pin(of: channels.device, channels.chosen) != nil && CommunityValues.takes(channels.chosen)
    }

    private func pin(of device: String, _ quantities: [Quantity]) -> Int? {
        pins.map { $0[device] } ?? (CommunityValues.hasParticles(quantities) ? 1 : nil)
    }

    /// Sends one request for each device.
    ///
    /// When a later one fails, only its samples are refused, because those of the earlier ones must
    /// not be sent twice.
    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        var hasDelivered = false
        var (refused, reason): ([Int], DeliveryReason?) = ([], nil)
        for device in devices(batch) {
            let outcome = try await network.outcome(of: request(batch, device), Self.classify)
            if outcome == .delivered {
                hasDelivered = true
                continue
            }
            guard hasDelivered, let why = outcome.reason else { return outcome }
            reason = why
            refused += batch.samples.indices.filter { batch.samples[$0].device == device }
        }
        return reason.map { .partly(refused: refused.sorted(), $0) } ?? .delivered
    }

    /// Returns the devices of a batch with a value, in the order of their first sample.
    func devices(_ batch: SampleBatch) -> [String] {
        var names: [String] = []
        for sample in batch.samples where leavesOut(sample) == nil {
            if !names.contains(sample.device) { names.append(sample.device) }
        }
        return names
    }

    /// Makes the request for one device of a batch.
    func request(_ batch: SampleBatch, _ device: String) -> OutboundRequest {
        let samples = batch.samples.filter { $0.device == device }
        let values = CommunityValues(samples)
        let pin = samples.first.flatMap { self.pin(of: device, $0.quantities) } ?? 1
        let fields: [OutboundRequest.Field] = [
            .init("X-Sensor", "\(sensor)"), .init("X-Pin", MaskedText("\(pin)")),
        ]
        let body = values.body(version: station.version)
        var request = OutboundRequest(.post, url, json: body, fields)
        request.trust = trust
        request.isOnce = true
        return request
    }

    private static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        if answer.status == 201, !answer.isHTML { return .delivered }
        if answer.status == 403 {
            let words = "the service does not know this id: register it at devices.sensor.community"
            return .hold(DeliveryReason("not-registered", words))
        }
        if answer.status == 400, answer.text.contains("sensor could not be selected") {
            return .hold(DeliveryReason("wrong-pin", "the registered sensor has another pin"))
        }
        return DeliveryClassifier.classify(answer)
    }
}

extension DeliveryOutcome {
    /// Why it was not delivered; nil when it was.
    package var reason: DeliveryReason? {
        switch self {
        case .delivered: nil
        case .partly(_, let reason), .later(let reason, _), .hold(let reason),
            .refused(let reason), .unknown(let reason), .foreign(let reason):
            reason
        }
    }
}

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
    /// What is known of pins that the owner has not named.
    private let own = CommunityPins()
    private let station: StationIdentity

    /// - Parameters:
    ///   - url: The service's address, with its last slash.
    ///   - sensor: The id that is registered, as `raspi-…`: the only proof of ownership.
    ///   - pins: By device: 1 SDS, PMS, HPM and SPS; 3 BMP; 7 DHT; 11 BME280; 13 DS18B20. Without
    ///     them each device goes under the pin of what it measures (`CommunityPins`).
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
        let pin = pin(of: sample)
        if pins == nil {
            if own.refused[sample.device] != nil { return .refused }
            // A device without a value to send leaves its pin to another.
            if let reason = CommunityValues.leavesOut(sample) { return reason }
            guard let pin else { return .noValue }
            return own.waits(sample.device, pin) || !own.holds(sample, pin) ? .refused : nil
        }
        return pin == nil ? .noValue : CommunityValues.leavesOut(sample)
    }

    func takes(_ channels: SampleChannels) -> Bool {
        let pin = pins.map { $0[channels.device] } ?? CommunityPins.pin(of: channels.chosen)
        return pin != nil && CommunityValues.takes(channels.chosen)
    }

    func see(_ station: [SampleChannels]) {
        guard pins == nil, !station.isEmpty else { return }
        own.see(hasDust: station.contains { CommunityValues.hasParticles($0.chosen) })
    }

    var waitsFor: DeliveryReason? { own.waitsFor }

    var refusedChannels: [String: DeliveryReason] { own.leftOut }

    func forgetRefusals() { own.forget() }

    /// The pin of a sample's device; nil where none is certain, also before it has had values.
    private func pin(of sample: OutboxSample) -> Int? {
        if let pins { return pins[sample.device] }
        if CommunityValues.hasParticles(sample.quantities) { return CommunityPins.particles }
        return CommunityPins.pin(of: own.measured(sample))
    }

    private func pin(of device: String, in batch: SampleBatch) -> Int {
        let sample = batch.samples.first { $0.device == device }
        return sample.flatMap { pin(of: $0) } ?? CommunityPins.particles
    }

    /// Sends one request for each device.
    ///
    /// When a later one fails, only its samples are refused, because those of the earlier ones must
    /// not be sent twice. A device whose pin is not registered keeps none of the others back.
    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        var hasDelivered = false
        var (refused, reason): ([Int], DeliveryReason?) = ([], nil)
        for device in devices(batch) {
            let pin = pin(of: device, in: batch)
            let outcome = try await network.outcome(of: request(batch, device)) { answer in
                classify(answer, of: device, pin)
            }
            if outcome == .delivered {
                hasDelivered = true
                continue
            }
            let isOfPin = own.refused[device] != nil
            guard hasDelivered || isOfPin, let why = outcome.reason else { return outcome }
            reason = why
            refused += batch.samples.indices.filter { batch.samples[$0].device == device }
        }
        guard let reason else { return .delivered }
        return hasDelivered ? .partly(refused: refused.sorted(), reason) : .refused(reason)
    }

    /// Returns the devices of a batch with a value, in the order of their first sample.
    ///
    /// Without the owner's pins those of particles come first: by their answers a climate sensor is
    /// known that has no place of its own at the service.
    func devices(_ batch: SampleBatch) -> [String] {
        var names: [String] = []
        for sample in batch.samples where leavesOut(sample) == nil {
            if !names.contains(sample.device) { names.append(sample.device) }
        }
        guard pins == nil else { return names }
        let first = names.filter { pin(of: $0, in: batch) == CommunityPins.particles }
        return first + names.filter { !first.contains($0) }
    }

    /// Makes the request for one device of a batch.
    func request(_ batch: SampleBatch, _ device: String) -> OutboundRequest {
        let values = CommunityValues(batch.samples.filter { $0.device == device })
        let pin = pin(of: device, in: batch)
        let fields: [OutboundRequest.Field] = [
            .init("X-Sensor", "\(sensor)"), .init("X-Pin", MaskedText("\(pin)")),
        ]
        let body = values.body(version: station.version)
        var request = OutboundRequest(.post, url, json: body, fields)
        request.trust = trust
        request.isOnce = true
        return request
    }

    private func classify(
        _ answer: OutboundAnswer,
        of device: String,
        _ pin: Int
    ) -> DeliveryOutcome {
        if pins == nil, let outcome = own.refusal(answer, of: device, pin) { return outcome }
        if answer.status == 201, !answer.isHTML {
            if pins == nil { own.learn(answer, of: device, pin) }
            return .delivered
        }
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

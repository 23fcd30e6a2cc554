import Core

/// Target for Safecast's measurements: one value of a radiation detector with place and time.
///
/// The service keeps the MD5 of value, place and time unique, so a repeated one is refused by name
/// and counts as delivered.
///
/// - Source: Safecast/safecastapi, `app/models/measurement.rb`.
struct SafecastTarget: SampleTarget {
    /// Place of a detector that does not move.
    struct Site: Hashable, Sendable {
        let latitude: FixedPoint
        let longitude: FixedPoint
        /// Height above the ground in metres; nil where it is unknown.
        let height: Int?

        init(latitude: FixedPoint, longitude: FixedPoint, height: Int? = nil) {
            (self.latitude, self.longitude, self.height) = (latitude, longitude, height)
        }
    }

    static let standardURL: MaskedText = "https://api.safecast.org"

    var traits: SampleTargetTraits
    var trust = ServerTrust.system
    private let url: MaskedText
    private let device: String?
    private let site: Site
    private let deviceNumber: Int?

    /// - Parameters:
    ///   - device: The station's device whose counts go; nil sends those of each counter.
    ///   - deviceNumber: The service's number of the device.
    init(
        url: MaskedText = Self.standardURL,
        key: Secret,
        device: String?,
        site: Site,
        deviceNumber: Int? = nil
    ) {
        self.url = "\(URLText.base(url))/measurements.json?api_key=\(URLText.encoded(key))"
        (self.device, self.site, self.deviceNumber) = (device, site, deviceNumber)
        traits = SampleTargetTraits()
        traits.itemLimit = 1
        traits.pace = .seconds(2)
    }

    func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        device.map { $0 == sample.device } ?? true && Self.value(sample) != nil ? nil : .noValue
    }

    func takes(_ channels: SampleChannels) -> Bool {
        device.map { $0 == channels.device } ?? true
            && channels.chosen.contains { Self.unit(of: $0) != nil }
    }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        guard let sample = batch.samples.first, let request = request(sample) else {
            return .refused(DeliveryReason("no-value", "no value with a date"))
        }
        return try await network.outcome(of: request) { answer in
            let json = WireJSON.parse(answer.body)
            if answer.status == 201, json?["id"] != nil { return .delivered }
            // The value was delivered before.
            if answer.status == 422, json?["errors"]?["md5sum"] != nil { return .delivered }
            return DeliveryClassifier.classify(answer)
        }
    }

    /// Makes the request for a sample; nil without a value or a date.
    func request(_ sample: OutboxSample) -> OutboundRequest? {
        guard let (value, unit) = Self.value(sample), let time = sample.time else { return nil }
        var members: [(key: String, value: String)] = [
            ("value", value.description), ("unit", WireJSON.string(unit)),
            ("latitude", site.latitude.description), ("longitude", site.longitude.description),
            // Whole seconds only: the service hashes this text.
            ("captured_at", WireJSON.string(time.iso8601)),
        ]
        if let deviceNumber { members.append(("device_id", "\(deviceNumber)")) }
        if let height = site.height { members.append(("height", "\(height)")) }
        let body = WireJSON.object([("measurement", WireJSON.object(members))])
        var request = OutboundRequest(.post, url, json: body)
        request.trust = trust
        return request
    }

    /// Finds the first value in counts per minute or µSv/h, with the service's name of the unit.
    private static func value(_ sample: OutboxSample) -> (FixedPoint, String)? {
        for (quantity, outcome) in zip(sample.quantities, sample.outcomes) {
            if let value = outcome.value, let unit = unit(of: quantity) { return (value, unit) }
        }
        return nil
    }

    private static func unit(of quantity: Quantity) -> String? {
        switch quantity.unit {
        case "cpm": "cpm"
        case "µSv/h": "usv"
        default: nil
        }
    }
}

import Core

/// Target for Madavi's graphs: the newest values of all devices in one request.
///
/// - Source: opendata-stuttgart/sensors-software, `airrohr-firmware.ino` (`sendmadavi`).
struct MadaviTarget: SampleTarget {
    static let standardURL: MaskedText = "https://api-rrd.madavi.de/data.php"

    var traits: SampleTargetTraits
    var trust = ServerTrust.system
    private let url: MaskedText
    private let sensor: Secret
    private let device: String?
    private let prefix: String
    private let station: StationIdentity

    /// - Parameters:
    ///   - sensor: The id of the station there, as `raspi-…`.
    ///   - device: The device whose values go; nil sends those of each that measures particles.
    ///   - prefix: The sensor's name before each value, as `SDS_`.
    init(
        url: MaskedText = Self.standardURL,
        sensor: Secret,
        device: String?,
        prefix: String = "SDS_",
        station: StationIdentity
    ) {
        (self.url, self.sensor, self.device) = (url, sensor, device)
        (self.prefix, self.station) = (prefix, station)
        traits = SampleTargetTraits()
        traits.ageLimit = .seconds(600)
        traits.repetition = .atMostOnce
        traits.liveInterval = .seconds(145)
        traits.pace = .seconds(60)
        traits.dating = .unneeded
    }

    func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        fits(sample.device, sample.quantities) ? CommunityValues.leavesOut(sample) : .noValue
    }

    func takes(_ channels: SampleChannels) -> Bool {
        fits(channels.device, channels.chosen) && CommunityValues.takes(channels.chosen)
    }

    private func fits(_ name: String, _ quantities: [Quantity]) -> Bool {
        device.map { $0 == name } ?? CommunityValues.hasParticles(quantities)
    }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        try await network.outcome(of: request(batch)) { answer in
            // The service's answer has no further proof.
            answer.isSuccess && !answer.isHTML ? .delivered : DeliveryClassifier.classify(answer)
        }
    }

    func request(_ batch: SampleBatch) -> OutboundRequest {
        let values = CommunityValues(batch.samples.filter { fits($0.device, $0.quantities) })
        let body = values.body(version: station.version, prefix: prefix)
        var request = OutboundRequest(.post, url, json: body, [.init("X-Sensor", "\(sensor)")])
        request.trust = trust
        request.isOnce = true
        return request
    }
}

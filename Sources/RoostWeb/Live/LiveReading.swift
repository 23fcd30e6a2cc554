import Alerts
import ControlProtocol
import Core

/// An item `reading` of the live stream: the station's report, with its level.
struct LiveReading: Codable, Sendable {
    let reading: ReadingReport
    /// The level by the lamp's rule, without its hysteresis; nil without a limit or a value.
    let level: String?

    private enum CodingKeys: CodingKey { case level }

    init(_ reading: ReadingReport) {
        self.reading = reading
        let quantity = reading.channel.drop { $0 != "/" }.dropFirst()
        let scale = LevelRule.sampleLevels.scales.first { $0.quantity == quantity }
        let value = reading.measured.flatMap { FixedPoint(decimal: $0.description) }
        level = value.flatMap { scale?.level(of: $0, after: nil).name }
    }

    init(from decoder: any Decoder) throws {
        reading = try ReadingReport(from: decoder)
        level = try decoder.container(keyedBy: CodingKeys.self)
            .decodeIfPresent(String.self, forKey: .level)
    }

    func encode(to encoder: any Encoder) throws {
        try reading.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(level, forKey: .level)
    }
}

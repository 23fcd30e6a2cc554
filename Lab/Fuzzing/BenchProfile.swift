import Core
import Devices
import Profiles
import Scheduling

/// What a kind of sensor on the bench needs to be said of it, with a duty that all share and none
/// keeps.
package enum BenchProfile {
    package static let cycle = DutyCycle(
        period: .minutes(5),
        warmUp: .seconds(20),
        window: .seconds(10),
        tolerance: .seconds(10)
    )

    /// Far from what the bench configures: a driver that goes by it wears out its part, or is late
    /// for its heartbeat and replaced for ever.
    package static let warmUp: Duration = .seconds(170)

    package static func make(of kind: SensorKind) -> Profile {
        let duty = DutyProfile(
            period: cycle.period,
            warmUp: warmUp,
            window: cycle.window,
            liveInterval: .seconds(1)
        )
        return Profile(
            id: "bench-\(kind.driver)",
            kind: .usbSerial,
            text: (kind.driver, "A part on the bench.", "bench"),
            driver: (kind.driver, settings[kind.driver] ?? .object([:]), duty),
            measures: (channels[kind.driver] ?? [], nil, nil)
        )
    }

    /// Settings of kinds that cannot do without.
    private static let settings: [String: JSONValue] = [
        "line": .object([
            "fields": .array([.string("temperature"), .string("humidity")]),
            "prefix": .string("$W;"), "checksum": .bool(true), "intervalSeconds": .number(1),
        ])
    ]
    private static let channels: [String: [ChannelProfile]] = [
        "line": [("temperature", "°C"), ("humidity", "%")].map { name, unit in
            ChannelProfile(
                Quantity(name: name, unit: unit, decimals: 2),
                range: 0...100,
                description: "",
                shown: "line"
            )
        }
    ]
}

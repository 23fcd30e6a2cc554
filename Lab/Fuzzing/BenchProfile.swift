import Core
import Devices
import Profiles
import Runtime

/// Profiles of sensors on the bench; drivers must keep the configured duty cycle, not this one.
package enum BenchProfile {
    package static let cycle = DutyCycle(
        period: .minutes(5),
        warmUp: .seconds(20),
        window: .seconds(10),
        tolerance: .seconds(10)
    )

    /// A warm-up far from the configured one: a driver that uses it wears out its part, or is late
    /// for its heartbeat and is restarted for ever.
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

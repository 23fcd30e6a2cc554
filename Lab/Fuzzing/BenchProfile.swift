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
        ]),
        "kernel-sensor": .object([
            "values": .object([
                "temperature": .object([
                    "attribute": .string("in_temp"), "scale": .string("0.001"),
                ]),
                "humidity": .object([
                    "attribute": .string("in_humidityrelative"), "scale": .string("0.001"),
                ]),
            ])
        ]),
        // As an SHT31, which needs no start and no rest; a part that does has both.
        "i2c-sensor": .object([
            "start": .array([.string("write 21b1")]), "rest": .array([.string("write 3f86")]),
            "serial": .array([.string("write 3780"), .string("read 6")]),
            "measure": .array([.string("write 2400"), .string("wait 15"), .string("read 6")]),
            "check": .string("words"), "patienceSeconds": .number(3),
            "values": .object([
                "temperature": .object([
                    "bit": .number(0), "scale": .string("175/65535"), "offset": .string("-45"),
                ]),
                "humidity": .object(["bit": .number(16), "scale": .string("100/65535")]),
            ]),
        ]),
    ]
    private static let channels: [String: [ChannelProfile]] = [
        "line": air, "kernel-sensor": air, "i2c-sensor": air,
    ]
    private static let air = [("temperature", "°C"), ("humidity", "%")].map { name, unit in
        ChannelProfile(
            Quantity(name: name, unit: unit, decimals: 2),
            range: 0...100,
            description: "",
            shown: "line"
        )
    }
}

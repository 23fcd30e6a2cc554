import Profiles

extension DeviceCatalog {
    /// A profile for each kind by its driver's name, for what no profile describes.
    ///
    /// Kinds whose dialect cannot do without settings are left out.
    package static let standIns: [Profile] = kinds.compactMap { kind in
        let (duty, baud) = manners[kind.driver] ?? (ordinary, 9_600)
        let profile = Profile(
            id: kind.driver,
            kind: .usbSerial,
            text: (kind.driver, "A \(kind.driver) as its driver knows it.", "built in"),
            detection: ([], ProbeRules(bauds: [baud], streams: true, mayAsk: false), nil),
            driver: (kind.driver, .object([:]), duty)
        )
        return (try? kind.dialect(profile)) == nil ? nil : profile
    }

    private static let ordinary = duty(warmUp: 0, window: 5)

    /// How to treat a part, and its rate.
    ///
    /// - Source: `DutyCycle.sds011`; Plantower, *PMS5003 series data manual V2.5*, 30 s after a
    ///   wake, and a window of four measurements at the slowest.
    private static let manners: [String: (DutyProfile, baud: Int)] = [
        "sds011": (duty(warmUp: 25, window: 5), 9_600),
        "plantower": (duty(warmUp: 30, window: 10), 9_600),
    ]

    private static func duty(warmUp: Int, window: Int) -> DutyProfile {
        DutyProfile(
            period: .seconds(300),
            warmUp: .seconds(warmUp),
            window: .seconds(window),
            liveInterval: .seconds(1)
        )
    }
}

import Core
import Devices
import Profiles

/// The plan of a life: devices, air, acts of people, and faults.
package struct Scenario: Sendable {
    /// A part behind an adapter.
    package struct Part: Hashable, Sendable {
        package let name: String
        /// A shipped profile, such as `nova-sds011`.
        package let profile: String
        /// The USB socket that it is in at first, 1…`socketMax`.
        package let socket: Int
        /// The adapter's serial number; nil for one that has none.
        package let serial: String?
        /// Days after which a dying sensor begins to fail more and more; nil for a sound one.
        let failsAfter: Duration?
        /// Weeks by which the date of a receiver of positions is wrong.
        let weeksWrong: Int
    }

    /// A device on the local network that answers over HTTP.
    package struct HTTPDevice: Hashable, Sendable {
        package let name: String
        /// A shipped profile, such as `generic-http-line`.
        package let profile: String
        /// The host that the station asks, a name or a number.
        package let host: String
        /// Time from one question to the next, 1 s…1 h.
        package let interval: Duration
    }

    /// Acts that people do from time to time.
    package enum Act: String, Hashable, Sendable, CaseIterable {
        /// Continuous measuring for a while.
        case live
        /// The same with a name.
        case survey
        /// A look at status and history, over the control socket.
        case look
        /// The station is switched off in order and on again.
        case reboot
    }

    package struct Habit: Hashable, Sendable {
        package let act: Act
        package let perDay: Double
        package let length: Duration
    }

    /// Faults of one kind, or of all kinds: at a time, or at a rate.
    package struct Trouble: Hashable, Sendable {
        /// The kind of fault; nil: every kind, each at this rate.
        package let kind: FaultKind?
        package let at: Duration?
        package let perDay: Double
        package let length: ClosedRange<Duration>?
        package let part: String?
    }

    static let socketMax = 16
    static let partMax = 16
    static let httpDeviceMax = 4

    package let name: String
    package let about: String
    package let parts: [Part]
    /// HTTP devices of the station's configuration: they are not detected.
    package let httpDevices: [HTTPDevice]
    /// Lines of motion sensors.
    package let motion: [String]
    let motionPerDay: Double
    package let weather: Weather.Settings
    let habits: [Habit]
    package let troubles: [Trouble]
    let hasLamps: Bool
    let hasWatchdog: Bool
    /// Whether the computer has a battery, at whose limit the station shuts it down.
    let hasBattery: Bool
    /// Whether a courier delivers to a server.
    package let hasCourier: Bool
    /// Whether a camera takes a picture at each motion.
    package let hasCamera: Bool
    /// 10 s…1 h.
    package let lossWindow: Duration
    /// Size of the history's file, 4…64 MB.
    package let megabytes: Int
    /// Places for streams of the history, 4…2 048; nil for as many as its size gives.
    package let streamPlaces: Int?
    /// Blocks of the journal's ring, 64…65 536.
    package let journalBlocks: Int
    /// Time at the end without any fault; ≥ 1 h.
    package let quiet: Duration
}

extension Scenario {
    var deviceCount: Int { parts.count + motion.count + httpDevices.count }

    /// The faults of one life, in the order they come.
    ///
    /// - Parameters:
    ///   - length: Of the life; the quiet time at its end is left free.
    ///   - seed: The same seed gives the same faults.
    /// - Returns: Their numbers are their places.
    package func plan(for length: Duration, seed: UInt64) -> [PlannedFault] {
        let end = max(.zero, length - quiet)
        var faults: [PlannedFault] = []
        for (number, trouble) in troubles.enumerated() {
            let kinds = trouble.kind.map { [$0] } ?? FaultKind.all
            for (place, kind) in kinds.enumerated() {
                let own = seed &* 1_000_003 &+ UInt64(number * 1_000 + place)
                var dice = SplitMix64(seed: own)
                faults += occurrences(of: kind, trouble, until: end, &dice)
            }
        }
        let order = faults.enumerated().sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }
        return order.map(\.element)
    }

    private func occurrences(
        of kind: FaultKind,
        _ trouble: Trouble,
        until end: Duration,
        _ dice: inout SplitMix64
    ) -> [PlannedFault] {
        let candidates = parts.filter {
            (!kind.needsSDS011 || $0.profile == "nova-sds011") && (!kind.needsBus || $0.isOnBus)
        }
        if kind.hitsPart, candidates.isEmpty { return [] }
        if kind.area == .network, httpDevices.isEmpty { return [] }
        if kind == .batteryLow, !hasBattery { return [] }
        if kind.area == .courier, !hasCourier { return [] }
        if kind.area == .camera, !hasCamera { return [] }
        func fault(at instant: Duration) -> PlannedFault {
            let range = trouble.length ?? kind.usualDuration
            let length = min(dice.duration(in: range), max(.seconds(1), end - instant))
            var part = kind.hitsPart ? candidates[dice.index(candidates.count)].name : nil
            if kind.hitsHTTPDevice { part = httpDevices[dice.index(httpDevices.count)].name }
            return PlannedFault(kind, at: instant, for: length, to: trouble.part ?? part)
        }
        if let at = trouble.at { return at < end ? [fault(at: at)] : [] }
        var (found, now) = ([PlannedFault](), Duration.zero)
        while true {
            now += .seconds(dice.exponential() / trouble.perDay * 86_400)
            guard now < end else { return found }
            found.append(fault(at: now))
        }
    }
}

extension Scenario.Part {
    fileprivate var isOnBus: Bool { ProfileCatalog.shipped.profile(profile)?.kind == .bus }
}

extension SplitMix64 {
    /// 0 ..< 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// Returns an exponentially distributed number with mean 1.
    mutating func exponential() -> Double { -Portable.logarithm(1 - unit()) }

    mutating func index(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// Short ones as often as long ones, by their order of magnitude.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        let (low, high) = (range.lowerBound.inSeconds, range.upperBound.inSeconds)
        guard low > 0, high > low else { return range.lowerBound }
        let seconds = low * Portable.power(high / low, unit())
        return .milliseconds(Int64(seconds * 1_000))
    }
}

/// Functions that give the same bits in every build: made of additions and multiplications alone.
enum Portable {
    private static let two = 0.693_147_180_559_945_3

    /// Natural logarithm of a positive number, to about 1e-12.
    static func logarithm(_ value: Double) -> Double {
        var (mantissa, exponent) = (max(value, 1e-300), 0.0)
        while mantissa > 1.5 { (mantissa, exponent) = (mantissa / 2, exponent + 1) }
        while mantissa < 0.75 { (mantissa, exponent) = (mantissa * 2, exponent - 1) }
        let ratio = (mantissa - 1) / (mantissa + 1)
        let square = ratio * ratio
        var (term, sum) = (ratio, 0.0)
        for odd in stride(from: 1.0, through: 31, by: 2) {
            sum += term / odd
            term *= square
        }
        return 2 * sum + exponent * two
    }

    /// e to a power within ±700.
    static func exponential(_ value: Double) -> Double {
        let half = value / 1_024
        var (term, sum) = (1.0, 1.0)
        for index in stride(from: 1.0, through: 12, by: 1) {
            term *= half / index
            sum += term
        }
        for _ in 0..<10 { sum *= sum }
        return sum
    }

    static func power(_ base: Double, _ exponent: Double) -> Double {
        exponential(exponent * logarithm(base))
    }
}

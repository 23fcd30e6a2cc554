import Core

/// Decides what follows from the charge of the machine's battery.
///
/// Pure. The machine is shut down only after several readings in a row, so that one wrong reading
/// of a gauge does not end a station.
struct BatteryMachine: Sendable {
    enum Action: Hashable, Sendable {
        /// The machine lives on its battery from now on.
        case onBattery
        /// Power comes in again.
        case onMains
        /// Shut the machine down.
        case powerOff(percent: Int)
        /// The machine was asked to shut down, and still runs.
        case unanswered
        /// There is no reason to shut it down any more.
        case recovered
    }

    /// Time between two readings.
    static let interval: Duration = .minutes(1)
    /// Readings in a row that have to be at the limit or below.
    static let readingCount = 3
    /// After its start the machine runs for so long, so that a person can reach one whose gauge or
    /// limit is wrong.
    static let leastUptime: Duration = .minutes(5)
    /// Time until the machine is asked again.
    static let patience: Duration = .minutes(10)
    /// A low battery is so many per cent above its limit before it is well again.
    private static let hysteresis = 5

    /// Whether a person is to know that little is left; nil without a battery.
    private(set) var isLow: Bool?
    private var isOnBattery = false
    private var lowCount = 0
    private var firstLow = 0
    private var askedAt: MonotonicInstant?

    init() {}

    /// Applies one reading.
    ///
    /// - Parameters:
    ///   - battery: Nil without one.
    ///   - lowPercent: From here on a person is to know.
    ///   - limit: From here on the machine is shut down; nil for never.
    ///   - now: The time since the machine started.
    /// - Returns: Actions to carry out.
    mutating func apply(
        _ battery: Battery?,
        low lowPercent: Int,
        powerOff limit: Int?,
        at now: MonotonicInstant
    ) -> [Action] {
        var actions: [Action] = []
        if let isDischarging = battery?.isDischarging, isDischarging != isOnBattery {
            isOnBattery = isDischarging
            actions.append(isDischarging ? .onBattery : .onMains)
        }
        isLow = battery.map { isLow($0, lowPercent) }
        guard let percent = battery?.percent, let limit, percent <= limit,
            battery?.isDischarging != false
        else {
            (lowCount, firstLow) = (0, 0)
            if askedAt != nil { actions.append(.recovered) }
            askedAt = nil
            return actions
        }
        if lowCount == 0 || percent > firstLow, battery?.isDischarging == nil {
            // If the gauge does not report a direction, a growing charge means that power comes in.
            (lowCount, firstLow) = (0, percent)
        }
        lowCount = min(lowCount + 1, Self.readingCount)
        guard lowCount == Self.readingCount, now >= .boot.advanced(by: Self.leastUptime) else {
            return actions
        }
        if let askedAt {
            guard askedAt.advanced(by: Self.patience) <= now else { return actions }
            actions.append(.unanswered)
        }
        askedAt = now
        return actions + [.powerOff(percent: percent)]
    }

    private func isLow(_ battery: Battery, _ lowPercent: Int) -> Bool {
        guard let percent = battery.percent, battery.isDischarging != false else { return false }
        return percent <= lowPercent + (isLow == true ? Self.hysteresis : 0)
    }
}

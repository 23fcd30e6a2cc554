import Core
import Profiles
import Runtime

/// How often a part on a bus is asked, and how long its answer may take, as its profile says.
struct BusPace: Hashable, Sendable {
    let rhythm: SensorRhythm
    /// 0.1…30 s for one answer.
    let patience: Duration
    /// From one sample to the next on the duty cycle.
    private let period: Duration

    /// Reads `intervalSeconds` and `patienceSeconds` of a profile's settings.
    init(_ reader: inout ObjectReader, _ profile: Profile) {
        let interval = reader.seconds("intervalSeconds", in: 1...3_600) ?? .seconds(1)
        rhythm = .answers(atMostEvery: interval)
        patience = reader.seconds("patienceSeconds", in: 0.1...30) ?? SensorCommand.usualPatience
        period = profile.dutyCycle.period
    }

    func doubtLimits(isLive: Bool) -> SensorDoubt.Limits {
        isLive ? .anyLive : .asked(every: period)
    }
}

import ControlProtocol

extension BudgetReport {
    /// The report of a station that costs nothing.
    static let none = BudgetReport(
        wakeUps: 0,
        wakeUpsPerMinute: 0,
        cpuMilliseconds: 0,
        voluntarySwitches: 0,
        residentKiB: 0,
        privateKiB: 0,
        descriptorCount: 0,
        threadCount: 0,
        readingCount: 0,
        eventCount: 0
    )
}

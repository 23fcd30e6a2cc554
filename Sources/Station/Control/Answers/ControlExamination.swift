import ControlProtocol
import Core

/// Answers `doctor`: examines the machine away from the loop, and keeps the last report.
package actor ControlExamination {
    /// Asked sooner again, the last report is the answer.
    package static let shortest = Duration.seconds(10)

    private let examine: @Sendable () -> FindingsReport
    private var last: (report: FindingsReport, at: MonotonicInstant)?

    /// - Parameter examine: Reads files for some 50 ms; called on the disk thread.
    package init(_ examine: @escaping @Sendable () -> FindingsReport) { self.examine = examine }

    /// A report.
    ///
    /// - Parameters:
    ///   - age: How old it may be; less than `shortest` counts as that.
    ///   - platform: Has the thread and the clock.
    /// - Returns: The last one, or a new one.
    /// - Throws: `CancellationError`.
    func report(
        notOlderThan age: Duration,
        on platform: any Platform
    ) async throws -> FindingsReport {
        let (limit, now) = (max(age, Self.shortest), platform.clock.now)
        if let last, last.at.duration(to: now) < limit { return aged(last, platform) }
        let examine = examine
        let found = try await platform.onDisk { examine() }
        let fresh = (report: found, at: platform.clock.now)
        last = fresh
        return aged(fresh, platform)
    }

    private func aged(
        _ last: (report: FindingsReport, at: MonotonicInstant),
        _ platform: any Platform
    ) -> FindingsReport {
        var report = last.report
        report.ageSeconds = last.at.age(at: platform.clock.now)
        return report
    }
}

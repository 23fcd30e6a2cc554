import Configuration
import ControlProtocol
import Core
import HardwareIO

/// Tries the part on one line: an output blinks, an input is read.
struct PinTrial {
    /// How long an output blinks, and how long an input is read.
    static let blinking = Duration.seconds(3)
    static let reading = Duration.seconds(5)
    private static let halfBlink = Duration.milliseconds(250)
    private static let pause = Duration.milliseconds(50)

    let clock: any NodeClock

    /// Runs a trial; its end leaves an output as its driver wants it, or dark.
    ///
    /// - Throws: `GPIOError` when the line is lost; `CancellationError`.
    func run(
        _ lines: TappedLines,
        _ index: Int,
        of used: UsedLine?
    ) async throws -> PinTrialReport {
        var report = PinTrialReport(
            line: used?.pin?.name ?? used?.line.description ?? "",
            device: used?.device,
            isOutput: lines.isOutput,
            seconds: (lines.isOutput ? Self.blinking : Self.reading).inSeconds
        )
        if lines.isOutput {
            try await blink(lines, index)
        } else {
            try await read(lines, index, into: &report)
        }
        return report
    }

    private func blink(_ lines: TappedLines, _ index: Int) async throws {
        defer { lines.giveBack() }
        var isOn = true
        for _ in 0..<Int(Self.blinking / Self.halfBlink) {
            try lines.lend(index, isOn)
            try await clock.sleep(for: Self.halfBlink)
            isOn.toggle()
        }
    }

    private func read(
        _ lines: TappedLines,
        _ index: Int,
        into report: inout PinTrialReport
    ) async throws {
        var last = try lines.values()[index]
        var (changes, active, count) = (0, 0, 0)
        let end = clock.now.advanced(by: Self.reading)
        while clock.now < end {
            let value = try lines.values()[index]
            if value != last { changes += 1 }
            (last, count) = (value, count + 1)
            if value { active += 1 }
            try await clock.sleep(for: Self.pause)
        }
        report.isActive = last
        report.changeCount = changes
        let share = Double(active) / Double(max(count, 1))
        report.activeSeconds = (share * Self.reading.inSeconds).rounded(toDecimals: 1)
    }
}

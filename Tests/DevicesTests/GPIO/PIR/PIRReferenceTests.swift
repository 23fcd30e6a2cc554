import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

/// A day of random pulses against a reference that sees the whole day at once.
@Suite struct PIRReferenceTests {
    private struct Pulse {
        let rise: Int
        let fall: Int
    }

    /// Pulses in milliseconds, of every length and distance that matters, in order.
    ///
    /// No two share an instant, and no storm is among them: edges are at least 101 ms apart.
    private static func day(seed: UInt64) -> [Pulse] {
        var random = SplitMix64(seed: seed)
        var pulses: [Pulse] = []
        var time = 0
        while time < 86_000_000 {
            let gaps = [101...3_000, 2_500...12_000, 5_000...600_000]
            let lengths = [101...300, 300...10_000, 5_000...200_000]
            let gap = Int.random(
                in: gaps.randomElement(using: &random) ?? 101...101,
                using: &random
            )
            let length = Int.random(
                in: lengths.randomElement(using: &random) ?? 101...101,
                using: &random
            )
            pulses.append(Pulse(rise: time + gap, fall: time + gap + length))
            time += gap + length
        }
        return pulses
    }

    /// The definition, step by step over the list: what is effective, what belongs together.
    private static func motions(in pulses: [Pulse], _ settings: PIRSettings) -> [Motion] {
        let milliseconds = { (duration: Duration) in Int(duration.wholeNanoseconds / 1_000_000) }
        let minimum = milliseconds(settings.minimumPulse)
        let window = milliseconds(settings.retriggerWindow)
        let trusted = pulses.filter { $0.rise > milliseconds(settings.settling) }
        var motions: [(start: Int, end: Int, count: Int)] = []
        var blockedUntil = Int.min
        for pulse in trusted {
            if let last = motions.last, pulse.rise <= last.end + window {
                guard pulse.fall - pulse.rise >= minimum else { continue }
                motions[motions.count - 1].end = pulse.fall
                motions[motions.count - 1].count += 1
                continue
            }
            if let last = motions.last {
                blockedUntil = last.end + window + milliseconds(settings.blockTime)
            }
            let start = max(pulse.rise, blockedUntil)
            guard pulse.fall - start >= minimum else { continue }
            motions.append((start, pulse.fall, 1))
        }
        return motions.map {
            Motion(start: instant($0.start), end: instant($0.end), pulseCount: $0.count)
        }
    }

    private static func instant(_ milliseconds: Int) -> MonotonicInstant {
        .boot.advanced(by: .milliseconds(milliseconds))
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func aDayOfPulsesGivesTheMotionsOfTheDefinition(seed: UInt64) throws {
        let pulses = Self.day(seed: seed)
        let (events, status) = try simulate(seed: seed) { clock in
            let gpio = SimulatedGPIO(clock: clock)
            let sink = RecordingSink()
            let driver = PIRDriver(
                name: "hall",
                settings: PIRSettings(line: .name("GPIO17")),
                environment: DriverEnvironment(
                    clock: clock,
                    sink: sink,
                    heartbeat: Heartbeat(clock: clock, limit: .seconds(60))
                ),
                open: { try gpio.requestLines($0) }
            )
            _ = try await ending(driver) {
                for pulse in pulses {
                    try await clock.sleep(until: Self.instant(pulse.rise))
                    gpio.drive("GPIO17", true)
                    try await clock.sleep(until: Self.instant(pulse.fall))
                    gpio.drive("GPIO17", false)
                }
                try await clock.sleep(for: .seconds(60))
            }
            return (sink.events, driver.status)
        }
        let expected = Self.motions(in: pulses, PIRSettings(line: .name("GPIO17")))
        #expect(expected.count > 100, "seed \(seed)")
        let starts = events.filter { $0.kind.name == "motion" }
        let ends = events.filter { $0.kind.name == "motion ended" }
        #expect(starts.map(\.instant) == expected.map(\.start), "seed \(seed)")
        #expect(ends.map(\.instant) == expected.map(\.end), "seed \(seed)")
        #expect(ends.map { $0["pulses"] } == expected.map { "\($0.pulseCount)" }, "seed \(seed)")
        #expect(status.motionCount == expected.count)
        #expect(status.edgeCount == pulses.count * 2)
        #expect(status.overrunCount == 0 && status.muteCount == 0)
    }

    /// The same edges, read late and in heaps, give the same motions.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func readingEdgesLateChangesNothing(seed: UInt64) {
        let pulses = Self.day(seed: seed)
        var prompt = PIRBench { $0.settling = .seconds(60) }
        var late = PIRBench { $0.settling = .seconds(60) }
        for pulse in pulses {
            let (rise, fall) = (Double(pulse.rise) / 1_000, Double(pulse.fall) / 1_000)
            prompt.edge(true, rise)
            prompt.pass(to: (rise + fall) / 2)
            prompt.edge(false, fall)
            late.pulse(rise, fall)
        }
        prompt.pass(to: 90_000)
        late.pass(to: 90_000)
        #expect(prompt.notices == late.notices, "seed \(seed)")
        #expect(prompt.notices.count > 200)
    }
}

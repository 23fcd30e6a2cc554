import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime

/// The announced time of the next sample agrees with when the session delivers it.
@Suite struct SensorProgressTests {
    @Test(arguments: DeviceCatalog.kinds.map(\.driver), SensorSessionTests.modes)
    func theNextSampleComesWhenItWasExpected(driver: String, mode: SensorMode) throws {
        let kind = try #require(DeviceCatalog.kind(driver))
        var bench = try SessionBench(kind, mode: mode)
        bench.handle(.start)
        var expected: [(at: MonotonicInstant, next: MonotonicInstant)] = []
        var phases: Set<SensorProgress.Phase> = []
        for second in stride(from: 1, through: 900, by: 7) {
            let now = MonotonicInstant.boot.advanced(by: .seconds(second))
            bench.run(until: now)
            guard let progress = bench.session.progress(at: now) else { continue }
            phases.insert(progress.phase)
            #expect(progress.endsAt.map { now <= $0 } ?? true, "\(driver) after \(second) s")
            if let next = progress.nextSampleAt { expected.append((now, next)) }
        }
        let samples = bench.samples.compactMap(\.first?.instant)
        guard case .dutyCycle(let cycle) = mode else {
            #expect(phases.contains(.measuring) && !phases.contains(.asleep))
            return
        }
        #expect(phases.contains(.asleep))
        // A part without a warm-up of its own is never seen warming at these moments.
        #expect(cycle.warmUp < .seconds(8) || phases.contains(.warming))
        for (at, next) in expected {
            guard let sample = samples.first(where: { at < $0 }) else { continue }
            let late = next.duration(to: sample)
            #expect(
                (.zero - cycle.tolerance - .seconds(12)...cycle.tolerance + .seconds(12))
                    .contains(late),
                "\(driver): at \(at) expected \(next), came \(sample)"
            )
        }
    }
}

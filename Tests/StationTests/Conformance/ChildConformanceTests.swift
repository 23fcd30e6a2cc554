import Core
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Runtime
@testable import SimulationKit
@testable import Station

/// Stops every child at each of its suspension points.
///
/// It ends within its grace, and what it holds is safe: the contract of `Child.run()`.
@Suite struct ChildConformanceTests {
    /// Points of one run, at most; runs with more are stopped at evenly spread ones, and each way
    /// and each surroundings begin with another.
    static let pointMax = Exhaustive.pointsOfChild

    @Test(arguments: ChildTable.rows, StopWay.allCases)
    func endsWithinItsGraceAndSafe(_ row: ChildRow, _ way: StopWay) throws {
        for (number, surroundings) in Surroundings.allCases.enumerated() {
            let whole = try stop(row, in: surroundings, by: way, after: .max)
            let step = max(1, whole.record.jobCount / Self.pointMax)
            let first = (number * 3 + (StopWay.allCases.firstIndex(of: way) ?? 0)) % step
            for point in stride(from: first, through: whole.record.jobCount, by: step) {
                let (record, grace) = try stop(row, in: surroundings, by: way, after: point)
                let complaints = record.complaints(grace: grace).joined(separator: ", ")
                #expect(complaints.isEmpty, "\(surroundings), after job \(point): \(complaints)")
            }
        }
    }

    private func stop(
        _ row: ChildRow,
        in surroundings: Surroundings,
        by way: StopWay,
        after jobCount: Int
    ) throws -> (record: StopRecord, grace: Duration) {
        let folder = try TestFolder(isInMemory: true)
        let grace = Mutex(Duration.zero)
        let record = try StopBench().run(by: way, after: jobCount) { clock in
            let text = row.configuration.isEmpty ? folder.configuration : row.configuration
            let test = try TestStation(clock, text)
            let spec = try row.spec(test)
            grace.withLock { $0 = spec.shutdownGrace }
            var subject = try row.prepare(test, surroundings)
            if let pause = surroundings.hangsAfter {
                let life = subject.life
                if pause == .zero { test.platform.hang() }
                subject.life = {
                    async let own: Void = life()
                    try await clock.sleep(for: pause)
                    test.platform.hang()
                    try await own
                }
            }
            return (spec, subject)
        }
        return (record, grace.withLock { $0 })
    }
}

/// The suite itself: it must see what it looks for.
@Suite struct ChildConformanceSelfTests {
    /// Ignores its stop for an hour, or leaves its lamp lit.
    private final class Planted: Child {
        let clock: SimulatedClock
        let ignores: Bool
        let isLit = Mutex(true)
        let release = Signal()

        init(_ clock: SimulatedClock, ignores: Bool) {
            (self.clock, self.ignores) = (clock, ignores)
        }

        func run() async throws {
            if ignores {
                // Not through the clock: so nothing cancels it.
                _ = await release.park()
                isLit.withLock { $0 = false }
            }
            _ = try await clock.wait(for: Signal(), until: nil, tolerance: .zero)
        }
    }

    private func complaints(of way: StopWay, ignoring: Bool) throws -> [String] {
        let record = try StopBench().run(by: way, after: 20) { clock in
            let child = Planted(clock, ignores: ignoring)
            let spec = ChildSpec(id: "planted") { _ in child }
            return (
                spec,
                ChildRow.Subject {
                    await withTaskCancellationHandler {
                        // Goes on when it is cancelled itself.
                        for _ in 0..<2 { try? await clock.sleep(for: .hours(1)) }
                        child.release.raise()
                    } onCancel: {
                    }
                } flaw: {
                    child.isLit.withLock { $0 } ? "the lamp is lit" : nil
                }
            )
        }
        return record.complaints(grace: .seconds(5))
    }

    @Test(arguments: [StopWay.removed, .stopped])
    func noticesAChildThatIgnoresItsStop(_ way: StopWay) throws {
        let found = try complaints(of: way, ignoring: true)
        #expect(found.contains("bench/planted outlived its grace"))
        #expect(found.contains { $0.hasPrefix("took ") })
    }

    @Test(arguments: StopWay.allCases)
    func noticesAChildThatLeavesItsLampLit(_ way: StopWay) throws {
        #expect(try complaints(of: way, ignoring: false) == ["the lamp is lit"])
    }
}

extension TestFolder {
    fileprivate var configuration: String {
        #"{"store": {"folder": "\#(path)", "megabytes": 4, "journalBlocks": 64}}"#
    }
}

import Core
import Synchronization
import Testing

@testable import Runtime
@testable import SimulationKit

@Suite struct HealthMonitorTests {
    /// Actions of a HealthMonitor in one run.
    private struct Watch: Sendable {
        var pets: [Double]
        var events: [String]
        var stillLate: [String]
        var log: [String]
        var wakeUps: Int
        /// Seconds in which no task ran.
        var standstills: [Range<Double>]
        /// Children and the seconds in which they made no progress.
        var hung: [(child: String, seconds: Range<Double>)]
    }

    /// Runs a supervisor of `children` beside a HealthMonitor that pets every 10 s.
    private func watch(
        for duration: Duration,
        _ children: @escaping @Sendable (Bench) -> [ChildSpec]
    ) throws -> Watch {
        try simulate { clock in
            let bench = Bench(clock)
            let registry = HeartbeatRegistry()
            let pets = Mutex<[Double]>([])
            let stillLate = Mutex<[String]>([])
            let standstills = Mutex<[Range<Double>]>([])
            let hung = Mutex<[(child: String, seconds: Range<Double>)]>([])
            let context = bench.context(heartbeats: registry)
            let supervisor = Supervisor(id: "root", context: context, children: children(bench))
            let callbacks = HealthMonitor.Callbacks(
                pet: { pets.withLock { $0.append(clock.now.seconds) } },
                observer: context.observer,
                onStillLate: { child in stillLate.withLock { $0.append(child) } },
                onStandstill: { stretch in
                    let seconds = stretch.lowerBound.seconds..<stretch.upperBound.seconds
                    standstills.withLock { $0.append(seconds) }
                },
                onHung: { child, stretch in
                    let seconds = stretch.lowerBound.seconds..<stretch.upperBound.seconds
                    hung.withLock { $0.append((child, seconds)) }
                }
            )
            let healthMonitor = HealthMonitor(
                registry,
                petWindow: .seconds(10)...(.milliseconds(12_500)),
                clock: clock,
                callbacks: callbacks
            )
            async let _: Void = healthMonitor.run()
            try await bench.run(supervisor) { try await clock.sleep(for: duration) }
            return Watch(
                pets: pets.withLock { $0 },
                events: bench.events.filter { $0.source == "health" }.map {
                    "\($0.instant) \($0.kind.name)"
                },
                stillLate: stillLate.withLock { $0 },
                log: bench.log,
                wakeUps: clock.wakeUps,
                standstills: standstills.withLock { $0 },
                hung: hung.withLock { $0 }
            )
        }
    }

    @Test func petsWhileEveryoneBeats() throws {
        let watch = try watch(for: .hours(1)) { bench in
            [
                bench.spec("a", heartbeatLimit: .seconds(60)) { heartbeat in
                    while !Task.isCancelled {
                        heartbeat.beat()
                        try await bench.clock.sleep(for: .seconds(45))
                    }
                }
            ]
        }
        #expect(watch.events.isEmpty)
        let gaps = zip(watch.pets.dropFirst(), watch.pets).map { $0 - $1 }
        #expect(gaps.allSatisfy { $0 <= 12.5 })
        #expect(watch.pets.count >= 3_600 / 13)
        // One wake-up for each pet and each beat, at most.
        #expect(watch.wakeUps <= watch.pets.count + 81 + 2)
    }

    @Test func aHungChildIsWarnedAboutThenReplaced() throws {
        let watch = try watch(for: .minutes(10)) { bench in
            let isFirst = Mutex(true)
            return [
                bench.spec("a", heartbeatLimit: .seconds(60)) { heartbeat in
                    let hangs = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if hangs { try await bench.clock.waitForCancellation() }
                    while !Task.isCancelled {
                        heartbeat.beat()
                        try await bench.clock.sleep(for: .seconds(45))
                    }
                }
            ]
        }
        #expect(watch.log == ["+a", "-a", "+a", "-a"])
        #expect(
            watch.events.map { $0.split(separator: " ", maxSplits: 1)[1] } == [
                "child late", "child replaced", "child on time again",
            ]
        )
        #expect(watch.stillLate.isEmpty)
        // From its start, when it is warned about and when it is replaced.
        #expect(watch.hung.map(\.child) == ["root/a", "root/a"])
        #expect(watch.hung.allSatisfy { $0.seconds.lowerBound == 0 })
        #expect(watch.hung.allSatisfy { $0.seconds.upperBound >= 60 })
        // The ladder works: a watchdog of 15 s does not cut it short.
        let longest = zip(watch.pets.dropFirst(), watch.pets).map { $0 - $1 }.max() ?? 0
        #expect(longest <= 12.5)
    }

    @Test func aLateChildThatGoesOnHungUntilItsNextBeat() throws {
        let watch = try watch(for: .minutes(5)) { bench in
            [
                bench.spec("a", heartbeatLimit: .seconds(60)) { heartbeat in
                    try await bench.clock.sleep(for: .seconds(100))
                    heartbeat.beat(nextWithin: .hours(1))
                    try await bench.clock.waitForCancellation()
                }
            ]
        }
        #expect(watch.hung.count == 2)
        #expect(watch.hung.last?.seconds == 0..<100)
    }

    @Test func aLateChildThatIsRemovedHungUntilThen() throws {
        let watch = try watch(for: .minutes(5)) { bench in
            [
                bench.spec("a", restart: .temporary, heartbeatLimit: .seconds(60)) { _ in
                    try await bench.clock.sleep(for: .seconds(100))
                }
            ]
        }
        #expect(watch.hung.count == 2)
        #expect(watch.hung.last.map { $0.seconds.contains(0..<100) } == true)
    }

    @Test func nobodyIsLateForTimeInWhichTheMachineWasSuspended() throws {
        let watch = try watch(for: .hours(9)) { bench in
            [
                bench.spec("a", heartbeatLimit: .seconds(60)) { heartbeat in
                    // In the middle of its work when the machine falls asleep.
                    while !Task.isCancelled {
                        heartbeat.beat(nextWithin: .seconds(50))
                        try await bench.clock.sleep(for: .seconds(20))
                        try await bench.clock.sleep(for: .seconds(20))
                    }
                },
                bench.spec("b", heartbeatLimit: .days(1)) { _ in
                    try await bench.clock.sleep(for: .seconds(90))
                    bench.clock.skip(.hours(4))
                    try await bench.clock.waitForCancellation()
                },
            ]
        }
        #expect(watch.events.isEmpty)
        #expect(watch.log == ["+a", "+b", "-b", "-a"])
        #expect(watch.standstills.count == 1)
        let (night, standstill) = (90.0..<14_490, watch.standstills.first ?? 0..<0)
        #expect(standstill.contains(night))
        #expect(standstill.upperBound - standstill.lowerBound < 14_400 + 13)
    }

    @Test func aChildStillLateAfterItsReplacementEscalatesOnceAndIsNotPettedFor() throws {
        let watch = try watch(for: .hours(1)) { bench in
            [
                bench.spec("a", heartbeatLimit: .seconds(60)) { _ in
                    try await bench.clock.waitForCancellation()
                },
                bench.spec("b", heartbeatLimit: .seconds(60)) { heartbeat in
                    while !Task.isCancelled {
                        heartbeat.beat()
                        try await bench.clock.sleep(for: .seconds(30))
                    }
                },
            ]
        }
        #expect(watch.stillLate == ["root/a"])
        #expect(watch.log.filter { $0 == "+a" }.count == 2)
        #expect(watch.log.filter { $0 == "+b" }.count == 1)
        let escalated = try #require(watch.events.last?.split(separator: " ").first)
        #expect(try #require(watch.pets.last) < #require(Double(escalated)))
        #expect(try #require(watch.pets.last) > #require(Double(escalated)) - 13)
    }

    @Test func aChildThatIsNotPermanentNeverStopsThePetting() throws {
        let watch = try watch(for: .minutes(10)) { bench in
            [
                bench.spec("a", restart: .temporary, heartbeatLimit: .seconds(60)) { _ in
                    try await bench.clock.waitForCancellation()
                }
            ]
        }
        #expect(watch.events.count >= 2)
        let gaps = zip(watch.pets.dropFirst(), watch.pets).map { $0 - $1 }
        #expect(gaps.allSatisfy { $0 <= 12.5 })
        #expect(try #require(watch.pets.last) > 580)
    }

    @Test func aPromiseThatComesNearerIsPlannedFor() throws {
        let watch = try watch(for: .seconds(100)) { bench in
            [
                bench.spec("a", heartbeatLimit: .hours(10)) { heartbeat in
                    heartbeat.beat(nextWithin: .seconds(33))
                    try await bench.clock.waitForCancellation()
                }
            ]
        }
        #expect(watch.events.count == 1)
        let instant = try #require(watch.events.first?.split(separator: " ").first)
        // At the first look after the promise; the window of a pet is 2.5 s.
        #expect((33.0...45.5).contains(try #require(Double(instant))))
    }

    @Test func aFactoryThatHangsIsCancelledAndTriedAgain() throws {
        let watch = try watch(for: .minutes(10)) { bench in
            let isFirst = Mutex(true)
            return [
                ChildSpec(id: "a", heartbeatLimit: .seconds(60)) { heartbeat in
                    let hangs = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if hangs { try await bench.clock.waitForCancellation() }
                    return ScriptedChild(id: "a", bench: bench) {
                        heartbeat.beat(nextWithin: .hours(1))
                        try await bench.clock.waitForCancellation()
                    }
                },
                bench.spec("b"),
            ]
        }
        #expect(watch.log == ["+b", "+a", "-b", "-a"])
        #expect(watch.stillLate.isEmpty)
    }
}

extension MonotonicInstant {
    fileprivate var seconds: Double { MonotonicInstant.boot.duration(to: self).inSeconds }
}

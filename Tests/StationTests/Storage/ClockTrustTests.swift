import ControlProtocol
import Core
import Glibc
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station
@testable import Store

/// Trust in the clock grows while the station runs, and every answer shows the present trust.
@Suite struct ClockTrustTests {
    private static let noon = WallTime(nanoseconds: 1_790_000_000_000_000_000)

    /// The anchors among what the card does not have yet.
    private static func anchors(_ test: TestStation) async throws -> [ClockAnchor] {
        var (anchors, from): ([ClockAnchor], String?) = ([], nil)
        repeat {
            let page = try #require(try await test.ask(GetTail(from: from)).body)
            for record in page.parts.flatMap({ JournalRecordCodec.contents($0.bytes).records }) {
                if case .anchor(let anchor) = record { anchors.append(anchor) }
            }
            from = page.next
        } while from != nil
        return anchors
    }

    @Test func aClockWithoutATimeServerDatesUncertainly() throws {
        let folder = try TestFolder(isInMemory: true)
        let (report, status, anchors) = try simulate { clock in
            clock.setWallTime(Self.noon, trust: .fileStamp)
            let test = try TestStation(clock, folder.configuration)
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let report = try await test.ask(GetReadings())
                let status = try await test.ask(GetStatus())
                return (report.body, status.body, try await Self.anchors(test))
            }
        }
        #expect(anchors.map(\.trust) == [.fileStamp])
        let last = try #require(report?.readings.last)
        #expect(last.isSure == false && last.time?.hasPrefix("2026-09-21T") == true)
        #expect(status?.clock?.isSure == false && status?.clock?.trust == "file time stamp")
        #expect(status?.wallTime != nil)
    }

    @Test func trustGrowsByAPersonAndByATimeServer() throws {
        let folder = try TestFolder(isInMemory: true)
        let (before, person, after, steps) = try simulate { clock in
            clock.setWallTime(Self.noon, trust: .hardwareClock)
            let test = try TestStation(clock, folder.configuration)
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let said = try await test.ask(TrustClock("2026-09-21T15:00:00Z")).body
                try await test.sleep(.seconds(30))
                let person = try await test.ask(GetClock()).body
                clock.setWallTime(Self.noon)
                try await test.sleep(.minutes(11))
                let after = try await test.ask(GetClock()).body
                return (said, person, after, try await Self.anchors(test).map(\.trust))
            }
        }
        #expect(before?.time == "2026-09-21T15:00:00Z" && before?.trust == "person")
        #expect(before?.isSure == true && before?.uncertaintySeconds == 120)
        #expect(person?.time == "2026-09-21T15:00:30Z")
        #expect(after?.trust == "time server" && after?.isSure == true)
        #expect(steps.contains(.synchronised) && steps.contains(.person))
    }

    /// The board has not been started anew, so what was said still holds.
    @Test func whatAPersonSaidHoldsForTheNextProcessOfTheBoot() throws {
        let folder = try TestFolder()
        let after = try simulate { clock in
            clock.setWallTime(Self.noon, trust: .hardwareClock)
            let first = try TestStation(clock, folder.configuration)
            try await first.run { test in
                try await test.sleep(.minutes(1))
                _ = try await test.ask(TrustClock("2026-09-21T15:00:00Z"))
                try await test.sleep(.seconds(30))
            }
            let next = try TestStation(clock, folder.configuration, card: first.platform.card)
            return try await next.run { test in
                try await test.sleep(.minutes(1))
                return try await test.ask(GetClock()).body
            }
        }
        #expect(after?.trust == "person" && after?.isSure == true)
        #expect(after?.time?.hasPrefix("2026-09-21T15:0") == true)
    }

    @Test func whatAPersonSaidInAnotherBootIsOver() {
        let (boot, other) = (BootID(bytes: Array(1...16)), BootID(bytes: Array(2...17)))
        func anchor(_ boot: BootID, _ tenths: Int64, _ trust: ClockTrust) -> ClockAnchor {
            let wall = WallTime(nanoseconds: tenths * 100_000_000)
            return ClockAnchor(boot: boot, tick: Tick(tenths: tenths), wall: wall, trust: trust)
        }
        let all = [
            anchor(boot, 10, .person), anchor(boot, 30, .person), anchor(boot, 20, .person),
            anchor(boot, 40, .hardwareClock), anchor(other, 50, .person),
        ]
        #expect(ConfirmedTime(all, in: boot)?.at == Tick(tenths: 30).instant)
        #expect(ConfirmedTime([all[3], all[4]], in: boot) == nil)
        let later = Tick(tenths: 40).instant
        let said = ConfirmedTime(all, in: boot)?.reading(at: later)
        #expect(said?.wall == WallTime(nanoseconds: 4_000_000_000) && said?.trust == .person)
    }

    @Test func aClockThatWasNeverSetHasNoTimeAndSaysHowToGiveIt() throws {
        let folder = try TestFolder(isInMemory: true)
        let (clockReport, failure, reading) = try simulate { clock in
            let test = try TestStation(clock, folder.configuration)
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let report = try await test.ask(GetClock()).body
                let failure = try await test.ask(TrustClock())
                let readings = try await test.ask(GetReadings())
                return (report, failure.error, readings.body?.readings.last)
            }
        }
        #expect(clockReport == ClockReport(time: nil, trust: "unknown", isSure: false))
        #expect(failure?.code == .store && failure?.message.contains("--at") == true)
        #expect(reading != nil && reading?.time == nil && reading?.isSure == nil)
    }
}

extension TestFolder {
    fileprivate var configuration: String {
        """
        {"name": "test", "mode": "live",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "store": {"folder": "\(path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }
}

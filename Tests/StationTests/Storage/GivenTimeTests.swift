import ControlProtocol
import Core
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

/// Wall time given by position receivers and browsers.
@Suite struct GivenTimeTests {
    /// 2026-09-21T14:13:20Z.
    private static let now = WallTime(nanoseconds: 1_790_000_000_000_000_000)
    private static let week: Int64 = 7 * 86_400 * 1_000_000_000

    @Test(arguments: [0, -1_024, 1_024, -2_048])
    func aDateOfAnotherRoundOfWeeksIsCorrected(_ weeks: Int64) {
        let said = WallTime(nanoseconds: Self.now.nanoseconds + weeks * Self.week)
        let date = ReceiverDate(said, notBefore: RoostVersion.date)
        #expect(date.wall == Self.now && date.weeks == -weeks)
    }

    @Test func theFirstMomentOfTheProgramIsNotCorrected() {
        let start = RoostVersion.date
        #expect(ReceiverDate(start, notBefore: start).weeks == 0)
        let before = WallTime(nanoseconds: start.nanoseconds - 1)
        #expect(ReceiverDate(before, notBefore: start).weeks == 1_024)
        let end = WallTime(nanoseconds: start.nanoseconds + ReceiverDate.round)
        #expect(ReceiverDate(end, notBefore: start).weeks == -1_024)
        #expect(
            ReceiverDate(WallTime(nanoseconds: end.nanoseconds - 1), notBefore: start).weeks == 0
        )
    }

    private static func time(
        _ trust: ClockTrust,
        off seconds: Int64 = 0,
        after: Duration = .zero,
        device: String? = "gps"
    ) -> ConfirmedTime {
        let at = MonotonicInstant.boot.advanced(by: after)
        let wall = now.advanced(by: after + .seconds(seconds))
        return ConfirmedTime(wall, at: at, by: trust, device: device)
    }

    @Test func onlyWhatIsTrustedMoreOrNewTakesThePlaceOfAnother() {
        let receiver = Self.time(.receiver)
        #expect(receiver.worth(after: nil, nil) == .news)
        for trust in [ClockTrust.unknown, .fileStamp, .hardwareClock] {
            #expect(receiver.worth(after: nil, WallReading(Self.now, trust)) == .news)
        }
        #expect(receiver.worth(after: nil, WallReading(Self.now, .synchronised)) == .nothing)
        // A receiver that is wrong takes the place of nothing that a person or a browser said.
        let wrong = Self.time(.receiver, off: 7 * 86_400)
        #expect(wrong.worth(after: Self.time(.person), nil) == .nothing)
        #expect(wrong.worth(after: Self.time(.browser), nil) == .nothing)
        #expect(Self.time(.browser).worth(after: wrong, nil) == .news)
        #expect(Self.time(.person).worth(after: Self.time(.person), nil) == .news)
        // Once an hour, and at a jump.
        #expect(Self.time(.receiver, after: .minutes(59)).worth(after: receiver, nil) == .nothing)
        #expect(Self.time(.receiver, after: .minutes(60)).worth(after: receiver, nil) == .again)
        let jump = Self.time(.receiver, off: 3, after: .minutes(1))
        #expect(jump.worth(after: receiver, nil) == .news)
        // Two that contradict each other, and one that jumps, do not fill the log.
        let other = Self.time(.receiver, off: 3, after: .minutes(59), device: "boat")
        #expect(other.worth(after: receiver, nil) == .nothing)
        let soon = Self.time(.receiver, off: 3, after: .seconds(59))
        #expect(soon.worth(after: receiver, nil) == .nothing)
    }

    private static func station(
        _ clock: SimulatedClock,
        _ folder: TestFolder,
        weeks: Int64,
        card: SimulatedCard = SimulatedCard()
    ) throws -> TestStation {
        var receiver = NMEAReceiverSimulator(poweredAt: clock.now)
        let offset = now.nanoseconds + weeks * week
        receiver.wallAtBoot = WallTime(nanoseconds: offset)
        let path = "/dev/ttyACM0"
        let test = try TestStation(clock, folder.receiver, card: card)
        test.platform.plug(SimulatedSerialPort(receiver, clock: clock, path: path), at: path)
        return test
    }

    /// The clock starts from a file's time stamp; the receiver's week number may have rolled over.
    @Test(arguments: [Int64(0), -1_024])
    func aStationWithoutANetworkHasTheTimeOfItsReceiver(_ weeks: Int64) throws {
        let folder = try TestFolder()
        let (report, events, after) = try simulate { clock in
            clock.setWallTime(WallTime(nanoseconds: 1_780_000_000_000_000_000), trust: .fileStamp)
            let first = try Self.station(clock, folder, weeks: weeks)
            let (report, events) = try await first.run { test in
                try await test.sleep(.minutes(3))
                let report = try await test.ask(GetClock()).body
                return (report, test.events.filter { $0.kind == .plain(.clockTrusted) })
            }
            // The next process of the boot has no receiver any more.
            let next = try TestStation(
                clock,
                folder.receiver,
                card: first.platform.card
            )
            let after = try await next.run { test in
                try await test.sleep(.minutes(1))
                return try await test.ask(GetClock()).body
            }
            return (report, events, after)
        }
        #expect(report?.trust == "receiver of positions" && report?.isSure == true)
        #expect(report?.uncertaintySeconds == 1)
        #expect(report?.time?.hasPrefix("2026-09-21T14:1") == true, "\(report?.time ?? "")")
        #expect(after?.trust == "receiver of positions")
        #expect(events.count == 1 && events.first?.source == "gps")
        let cause = events.first?["cause"]
        #expect(cause?.contains("1024 weeks wrong") == (weeks != 0), "\(cause ?? "")")
    }

    @Test func aBrowsersTimeCountsUntilABetterOneIsKnown() throws {
        let folder = try TestFolder(isInMemory: true)
        let (old, first, second, person, late) = try simulate { clock in
            clock.setWallTime(WallTime(nanoseconds: 1_780_000_000_000_000_000), trust: .fileStamp)
            let test = try TestStation(clock, folder.receiver)
            return try await test.run { test in
                func offer(_ time: String) async throws -> ControlAnswer<ClockReport> {
                    try await test.ask(OfferTime(time))
                }
                try await test.sleep(.minutes(1))
                let old = try await offer("2019-01-01T00:00:00Z")
                let first = try await offer("2026-09-21T15:00:00.250Z")
                let second = try await offer("2026-09-21T17:00:00Z")
                let person = try await test.ask(TrustClock("2026-09-21T16:00:00Z"))
                return (old, first, second, person, try await offer("2026-09-21T15:00:00Z"))
            }
        }
        #expect(old.error?.code == .badRequest)
        #expect(
            first.body
                == ClockReport(
                    time: "2026-09-21T15:00:00Z",
                    trust: "browser",
                    isSure: true,
                    uncertaintySeconds: 60
                )
        )
        #expect(second.body?.time == "2026-09-21T17:00:00Z")
        #expect(person.body?.trust == "person")
        #expect(late.body?.trust == "person" && late.body?.time == "2026-09-21T16:00:00Z")
    }
}

extension TestFolder {
    fileprivate var receiver: String {
        """
        {"name": "test", "mode": "normal",
         "devices": [{"name": "gps", "type": "nmea-receiver", "port": "/dev/ttyACM0"}],
         "store": {"folder": "\(path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }
}

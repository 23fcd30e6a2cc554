import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Alerts
@testable import Devices
@testable import Runtime
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct AlertServiceTests {
    private static let bad = SDS011Air.constant(
        SDS011Measurement(pm25Tenths: 161, pm10Tenths: 300)
    )
    private static let good = SDS011Air.constant(
        SDS011Measurement(pm25Tenths: 21, pm10Tenths: 52)
    )

    private static func text(_ folder: TestFolder?, _ alerts: String) -> String {
        let store = folder.map {
            #", "store": {"folder": "\#($0.path)", "megabytes": 4, "journalBlocks": 64}"#
        }
        return """
            {"name": "test",
             "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
             "alerts": \(alerts)\(store ?? "")}
            """
    }

    private static let sample = #"""
        {"use": [],
         "rules": [{"id": "bad", "channel": "*/pm25", "when": {"value": {"atLeast": 5}}}]}
        """#

    private static func alerts(_ test: TestStation) -> [(at: MonotonicInstant, event: AlertEvent)] {
        test.events.compactMap { event in
            if case .alert(let alert) = event.kind { (event.instant, alert) } else { nil }
        }
    }

    @Test func aSampleIsAnAlertInTheSameTurn() throws {
        let (alerts, readings) = try simulate { clock in
            let test = try TestStation(clock, Self.text(nil, Self.sample), air: Self.bad)
            try await test.run { try await $0.sleep(.minutes(6)) }
            return (Self.alerts(test), test.readings())
        }
        let value = try #require(readings.first { $0.outcome.value != nil })
        guard case .raised(let raised)? = alerts.first?.event else {
            Issue.record("no alert")
            return
        }
        #expect(alerts.first?.at == value.instant)
        #expect(raised.number == 1 && raised.key == AlertEvent.Key("bad", "dust/pm25"))
        #expect(raised.value == 16.1 && raised.limit == 5 && raised.unit == "µg/m³")
    }

    /// In order, and as `kill -9` does.
    @Test(arguments: [true, false])
    func anAlertKeepsItsNumberOverARestart(isOrderly: Bool) throws {
        let folder = try TestFolder(isInMemory: true)
        let (first, second, third) = try simulate { clock in
            let text = Self.text(folder, Self.sample)
            let first = try TestStation(clock, text, air: Self.bad)
            if isOrderly {
                try await first.run { try await $0.sleep(.minutes(20)) }
            } else {
                try await first.runUntilKilled(after: .minutes(20))
            }
            let card = first.platform.card
            let second = try TestStation(clock, text, air: Self.bad, card: card)
            second.platform.memory = first.platform.memory
            try await second.run { try await $0.sleep(.minutes(20)) }
            let third = try TestStation(clock, text, air: Self.good, card: card)
            third.platform.memory = second.platform.memory
            try await third.run { try await $0.sleep(.minutes(20)) }
            return (Self.alerts(first), Self.alerts(second), Self.alerts(third))
        }
        guard case .raised(let raised)? = first.first?.event else {
            Issue.record("no alert")
            return
        }
        let entries = second.compactMap { event -> [AlertEvent.Standing.Entry]? in
            if case .standing(let standing) = event.event { standing.alerts } else { nil }
        }
        // At the start and at the end: the same alert, and no second notice.
        #expect(entries.count == second.count && entries.count == 2)
        #expect(entries.allSatisfy { $0.map(\.raise) == [raised.number] })
        let resolved = third.compactMap { event -> AlertEvent.Resolved? in
            if case .resolved(let resolved) = event.event { resolved } else { nil }
        }
        #expect(resolved.map(\.raise) == [raised.number])
        #expect(resolved.map(\.number) == [raised.number + 1])
        #expect((2_300...3_600).contains(try #require(resolved.first).lasted))
    }

    /// A mean of a day needs values of 18 h; both lives together have them.
    @Test func averagesGoOnInTheNextLife() throws {
        let folder = try TestFolder(isInMemory: true)
        let rule = #"{"mean": {"overSeconds": 86400, "atLeast": 0.1}}"#
        let text = Self.text(
            folder,
            #"{"use": [], "rules": [{"id": "day", "channel": "*/pm25", "when": \#(rule)}]}"#
        )
        let alerts = try simulate { clock in
            let first = try TestStation(clock, text, air: .drifting(seed: 5))
            try await first.run { try await $0.sleep(.hours(10)) }
            let second = try TestStation(
                clock,
                text,
                air: .drifting(seed: 5),
                card: first.platform.card
            )
            try await second.run { try await $0.sleep(.hours(10)) }
            return Self.alerts(first).isEmpty ? Self.alerts(second) : []
        }
        let raised = try #require(alerts.first)
        #expect(raised.event.key == AlertEvent.Key("day", "dust/pm25"))
        let hours = MonotonicInstant.boot.duration(to: raised.at) / .hours(1)
        #expect((18.0...18.3).contains(hours))
    }

    /// A store of January that is started in November: what was raised is over within a minute, and
    /// with it is the mean of a day.
    @Test(arguments: [true, false])
    func aYearWithoutPowerEndsWhatWasRaised(isSureAtOnce: Bool) throws {
        let folder = try TestFolder(isInMemory: true)
        let rule = #"{"mean": {"overSeconds": 900, "atLeast": 5}}"#
        let text = Self.text(
            folder,
            #"{"use": [], "rules": [{"id": "mean", "channel": "*/pm25", "when": \#(rule)}]}"#
        )
        let (first, second, start) = try simulate { clock in
            clock.setWallTime(WallTime(seconds: 1_767_400_000))
            let first = try TestStation(clock, text, air: Self.bad)
            try await first.run { try await $0.sleep(.hours(1)) }
            let start = clock.now
            let november = WallTime(seconds: 1_767_400_000 + 329 * 86_400)
            clock.setWallTime(november, trust: isSureAtOnce ? .synchronised : .unknown)
            let platform = SimulatedPlatform(clock: clock, card: first.platform.card)
            platform.boot = BootID(bytes: Array(repeating: 2, count: 16))
            let second = try TestStation(clock, text, on: platform, air: Self.good)
            try await second.run { test in
                try await test.sleep(.minutes(2))
                let wall = WallTime(seconds: 1_767_400_120 + 329 * 86_400)
                if !isSureAtOnce { clock.setWallTime(wall) }
                try await test.sleep(.minutes(18))
            }
            return (Self.alerts(first), Self.alerts(second), start)
        }
        #expect(first.contains { if case .raised = $0.event { true } else { false } })
        let over = second.compactMap { found -> (MonotonicInstant, AlertEvent.Resolved)? in
            if case .resolved(let resolved) = found.event { (found.at, resolved) } else { nil }
        }
        let end = try #require(over.first)
        #expect(over.count == 1 && end.1.why == .noData)
        #expect(end.1.lasted > 328 * 86_400)
        #expect(start.duration(to: end.0) <= (isSureAtOnce ? .minutes(1) : .minutes(8)))
    }

    @Test func aDeviceThatIsPulledOutIsSilentAfterItsTimeAndOnceMore() throws {
        let text = Self.text(nil, #"{"use": ["station"]}"#)
        let names = try simulate { clock in
            let test = try TestStation(clock, text)
            try await test.run { test in
                try await test.sleep(.minutes(11))
                test.line.unplug()
                test.platform.removePath(TestStation.port)
                try await test.sleep(.minutes(40))
                test.platform.plug(test.line, at: TestStation.port)
                try await test.sleep(.minutes(11))
            }
            let own = test.events.filter { $0["key"] == "silent:dust" }
            return own.map(\.kind.name)
        }
        #expect(names == ["alert raised", "alert resolved"])
    }

    @Test func aMuteEndsWhatIsRaised() throws {
        let why = try simulate { clock in
            let test = try TestStation(clock, Self.text(nil, Self.sample), air: Self.bad)
            try await test.run { test in
                try await test.sleep(.minutes(6))
                _ = try await test.ask(MuteDevice("dust"))
                try await test.sleep(.minutes(6))
            }
            return Self.alerts(test).compactMap { found -> AlertEvent.Resolved.Reason? in
                if case .resolved(let resolved) = found.event { resolved.why } else { nil }
            }
        }
        #expect(why == [.muted])
    }

    @Test func lowVoltageAndAWornCardAreAlerts() throws {
        let text = Self.text(nil, #"{"use": ["station"]}"#)
        let (alerts, count) = try simulate { clock in
            let test = try TestStation(clock, text)
            test.platform.vitals = MachineVitals(
                isUnderVoltage: true,
                card: MachineVitals.Card(lifeTime: 9, endOfLife: 1)
            )
            try await test.run { try await $0.sleep(.minutes(30)) }
            return (Self.alerts(test).compactMap(\.event.key?.rule), test.platform.vitalsCount)
        }
        #expect(Set(alerts) == ["card", "power"])
        // With the samples, and never by itself.
        #expect((3...8).contains(count))
    }

    /// The averages of a day are read once, and cost no more wake-ups than the samples.
    @Test func alertsWakeNothingThatWouldSleep() throws {
        func wakeUps(_ alerts: String) throws -> Int {
            try simulate { clock in
                let test = try TestStation(clock, Self.text(nil, alerts), air: Self.good)
                try await test.run { try await $0.sleep(.days(1)) }
                return clock.wakeUps
            }
        }
        let without = try wakeUps(#"{"use": []}"#)
        let with = try wakeUps(#"{"use": ["who-24h", "us-nowcast", "station"]}"#)
        #expect(with <= without + 150, "\(with) instead of \(without)")
    }
}

import Configuration
import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

/// A mode that a person asked for outlives the process.
@Suite struct ModeRestartTests {
    private static func text(_ folder: TestFolder) -> String {
        """
        {"name": "test", "store": {"folder": "\(folder.path)"},
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}]}
        """
    }

    private static func ask(_ test: TestStation, _ mode: String, _ name: String?) async throws {
        let seconds = mode == "normal" ? nil : 3_600.0
        var question = ChangeMode(mode, name: name, seconds: seconds)
        if mode == "survey" { question.isPrivate = true }
        _ = try await test.ask(question)
    }

    /// Returns the modes 10 minutes and 70 minutes after the second start.
    private func modes(
        _ mode: String,
        _ name: String?,
        thenNormal: Bool = false
    ) throws -> [StationMode] {
        let folder = try TestFolder(isInMemory: true)
        return try simulate { clock in
            let one = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            try await one.run { test in
                try await test.sleep(.minutes(1))
                try await Self.ask(test, mode, name)
                try await test.sleep(.minutes(1))
                if thenNormal { try await Self.ask(test, "normal", nil) }
            }
            let two = try TestStation(
                clock,
                Self.text(folder),
                air: .drifting(seed: 6),
                card: one.platform.card
            )
            return try await two.run { test in
                try await test.sleep(.minutes(10))
                let first = test.station.context.modes.mode
                try await test.sleep(.minutes(60))
                return [first, test.station.context.modes.mode]
            }
        }
    }

    @Test func aSurveyGoesOnUntilItsEnd() throws {
        let modes = try modes("survey", "two")
        #expect(modes[0].text == "survey two" && modes[0].isPrivate)
        #expect(modes[1].kind == .normal)
    }

    @Test func liveGoesOn() throws {
        #expect(try modes("live", nil).map(\.kind) == [.live, .normal])
    }

    @Test func whatWasEndedStaysEnded() throws {
        #expect(try modes("live", nil, thenNormal: true).map(\.kind) == [.normal, .normal])
    }

    @Test func afterAPowerCutTheWallClockSaysWhatIsLeft() throws {
        let old = BootID(bytes: Array(repeating: 1, count: 16))
        let new = BootID(bytes: Array(repeating: 2, count: 16))
        let value = "survey private \(old) 9000000000000 7200000000000 3600000000000 my drive"
        let kept = try #require(RequestedStationMode(setting: value))
        #expect(kept.settingValue == value && kept.mode.name == "my drive")
        let now = MonotonicInstant.boot.advanced(by: .seconds(30))
        func left(_ boot: BootID, _ wall: Int64?) -> Duration? {
            kept.resumed(in: boot, at: now, wall.map { WallTime(nanoseconds: $0 * 1_000_000_000) })?
                .ends.map { now.duration(to: $0) }
        }
        #expect(left(new, 7_000) == .seconds(200))
        #expect(left(new, 7_201) == nil)
        // Without a clock as long as it was asked for, never longer.
        #expect(left(new, nil) == .seconds(3_600) && left(new, 0) == .seconds(3_600))
        #expect(RequestedStationMode(setting: "live open") == nil)
    }

    /// Without a clock each restart would give the whole length again.
    @Test func withoutAClockTheStoreSaysHowLongItWentOn() throws {
        let old = BootID(bytes: Array(repeating: 1, count: 16))
        let new = BootID(bytes: Array(repeating: 2, count: 16))
        let value = "survey open \(old) 3700000000000 - 3600000000000 drive"
        let kept = try #require(RequestedStationMode(setting: value))
        let now = MonotonicInstant.boot.advanced(by: .seconds(30))
        func left(_ last: Int64) -> Duration? {
            let last = MonotonicInstant.boot.advanced(by: .seconds(last))
            let mode = kept.resumed(in: new, at: now, nil, last: last)
            return mode?.ends.map { now.duration(to: $0) }
        }
        #expect(left(1_900) == .seconds(1_800))
        #expect(left(3_699) == .seconds(1))
        #expect(left(3_700) == nil)
        // Nothing of the survey came to the card.
        #expect(left(50) == .seconds(3_600))
    }

    /// Four power cuts without a clock, each 20 minutes apart: an hour of survey is an hour.
    @Test func anHourWithoutAClockIsAnHourOverPowerCuts() throws {
        let folder = try TestFolder(isInMemory: true)
        let modes = try simulate { clock in
            var card = SimulatedCard()
            var modes: [StationMode.Kind] = []
            for start in 0..<5 {
                let platform = SimulatedPlatform(clock: clock, card: card)
                platform.boot = BootID(bytes: Array(repeating: UInt8(start + 1), count: 16))
                let test = try TestStation(
                    clock,
                    Self.text(folder),
                    on: platform,
                    air: .drifting(seed: 5)
                )
                modes.append(
                    try await test.run { test in
                        try await test.sleep(.minutes(1))
                        if start == 0 { try await Self.ask(test, "survey", "drive") }
                        let kind = test.station.context.modes.mode.kind
                        try await test.sleep(.minutes(20))
                        return kind
                    }
                )
                card = platform.card
            }
            return modes
        }
        #expect(modes == [.survey, .survey, .survey, .normal, .normal])
    }

    /// The store of the second start opens late: what is measured before is in the survey, too.
    @Test func readingsFromBeforeTheStoreOpensAreInTheSurvey() throws {
        let folder = try TestFolder(isInMemory: true)
        let (kinds, begun, first, followed) = try simulate { clock in
            let one = try TestStation(clock, Self.text(folder), air: .drifting(seed: 5))
            try await one.run { test in
                try await test.sleep(.minutes(1))
                try await Self.ask(test, "survey", "two")
                try await test.sleep(.minutes(1))
            }
            let start = clock.now
            let two = try TestStation(
                clock,
                Self.text(folder),
                air: .drifting(seed: 6),
                card: one.platform.card
            )
            two.platform.refuseJournal(with: .readOnly(path: "journal.ring"))
            let followed = try await two.run { test in
                try await test.sleep(.minutes(2))
                let early = test.station.state.store.tailEnd != nil
                test.platform.refuseJournal(with: nil)
                try await test.sleep(.minutes(10))
                return [early, test.station.state.store.tailEnd != nil]
            }
            let begun = two.events.last { $0.kind.name == "survey begun" }
            let first = two.readings().first { $0.instant >= start }
            return (two.events.map(\.kind.name), begun?.instant, first?.instant, followed)
        }
        let (mark, reading) = (try #require(begun), try #require(first))
        #expect(mark <= reading)
        #expect(kinds.contains("survey goes on") && !kinds.contains("mode asked for"))
        #expect(followed == [false, true])
        let reader = try HistoryReader(path: "\(folder.path)/history.db")
        let marks = try HistoryEvents(reader).newest(9) {
            if case .surveyBegun(let survey) = $0.event.kind { !survey.isForUpload } else { false }
        }
        #expect(marks.contains { $0.event.instant == mark })
    }

    /// Settings that cannot be read say nothing of the mode: the store is not followed until then.
    @Test func untilTheSettingsAreReadTheModeIsNotKnown() throws {
        let folder = try TestFolder(isInMemory: true)
        let known = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            let (context, modes) = (test.station.context, test.station.context.modes)
            await #expect(throws: StoreError.self) {
                // It cannot be read: nothing has opened it.
                try await modes.settle(
                    OpenStore(platform: test.platform, store: LockedStore()),
                    in: context.bootID,
                    recorder: context.recorder,
                    since: clock.now
                ) { _ in nil }
            }
            let before = modes.isKnown
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                return [before, modes.isKnown]
            }
        }
        #expect(known == [false, true])
    }
}

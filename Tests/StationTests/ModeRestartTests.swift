import Configuration
import ControlProtocol
import Core
import Devices
import SimulationKit
import TestSupport
import Testing

@testable import Station

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
        var request = ControlRequest(.mode, mode: mode, name: name, seconds: seconds)
        if mode == "survey" { request.isPrivate = true }
        _ = try await test.ask(request, StatusReport.self)
    }

    /// What the mode is 10 minutes and 70 minutes after the second start.
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
}

import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

/// Owner's requests about devices, and devices that move to another socket.
@Suite struct DetectionActsTests {
    @Test func aSensorKeepsItsNameWhereverItIsPluggedIn() throws {
        let (states, absences, names, kinds) = try simulate { clock in
            let bench = try DetectionBench(clock, #"{"name": "test", "mode": "live"}"#)
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                var states: [String] = []
                bench.usb.plug(sensor, into: 1)
                try await bench.sleep(.minutes(2))
                states += bench.found.map(\.state)
                bench.usb.unplug(1)
                try await bench.sleep(.minutes(2))
                states += bench.found.map(\.state)
                bench.usb.plug(sensor, into: 4)
                try await bench.sleep(.minutes(2))
                states += bench.found.map(\.state)
                let readings = bench.station.context.recorder.readings(since: .boot)
                let absences = readings.filter { $0.outcome == .noData(.unplugged) }
                let kinds = bench.events.filter { $0.source == "sds011" }.map(\.kind.name)
                return (
                    states, absences.count, Set(readings.map(\.channel.device)), Set(kinds)
                )
            }
        }
        #expect(states == ["adopted", "absent", "adopted"])
        #expect(absences == 2, "once for each channel")
        #expect(names == ["sds011"])
        #expect(kinds.isSuperset(of: ["device adopted", "device away", "device back"]))
    }

    @Test func lampsFollowASensorThatIsFoundLater() throws {
        let (before, facts, after, lit) = try simulate { clock in
            let text = """
                {"name": "test", "mode": "live", "lights": {"follows": "sds011"},
                 "devices": [{"name": "lamp", "type": "led", "line": "GPIO22",
                              "shows": "level", "follows": "sds011"}]}
                """
            let bench = try DetectionBench(clock, text)
            let other = try SimulatedAdapter.part(of: "plantower-pms", on: clock)
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                bench.usb.plug(other, into: 1)
                try await bench.sleep(.minutes(2))
                let before = bench.station.status.lamp
                let report = try #require(try await bench.ask(GetDevices()).body)
                let lights = report.devices.first { $0.name == "lights" }
                // The light that the driver has had since its start.
                let light = bench.station.context.leds.light("lamp")
                bench.usb.plug(sensor, into: 2)
                try await bench.sleep(.minutes(2))
                let lamp = light.pattern
                return (before, lights?.facts, bench.station.status.lamp, lamp)
            }
        }
        #expect(before == "unknown")
        #expect(facts?["follows"] == .text("sds011") && facts?["isFollowing"] == .truth(false))
        #expect(after != nil && after != "unknown")
        #expect(lit != .flashing)
    }

    @Test func aConfiguredPortIsNeverProbed() throws {
        let heard = try simulate { clock in
            let text = """
                {"name": "test", "detect": {"leave": ["/dev/ttyUSB1"]},
                 "devices": [{"name": "far", "type": "sds011",
                              "port": "/dev/serial/by-path/platform-usb-0:1.1:1.0-port0"}]}
                """
            let bench = try DetectionBench(clock, text)
            let silent = (0..<2).map { _ in
                SimulatedAdapter("silent", clock: clock) {
                    SensorPart(Stranger.silent.peer(), poweredAt: $0)
                }
            }
            return try await bench.run { bench in
                bench.usb.plug(silent[0], into: 1)
                bench.usb.plug(silent[1], into: 2)
                try await bench.sleep(.minutes(1))
                return silent.map(\.heardByteCount) + [bench.found.count]
            }
        }
        #expect(heard == [0, 0, 0])
    }

    @Test func detectionThatIsOffTouchesNothing() throws {
        let (heard, found) = try simulate { clock in
            let bench = try DetectionBench(clock, #"{"name": "test", "detect": false}"#)
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                bench.usb.plug(sensor, into: 1)
                try await bench.sleep(.minutes(1))
                return (sensor.heardByteCount, bench.found)
            }
        }
        #expect(heard == 0)
        #expect(found.map(\.state) == ["found"])
        #expect(found.map(\.why) == ["detection is off"])
    }

    /// Its driver let it sleep when it was ignored, and asleep it hears nothing but a wake.
    @Test(arguments: ["/dev/ttyUSB0", "plantower"])
    func wakesAPlantowerThatWasIgnoredAndIsForgotten(target: String) throws {
        let states = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = try SimulatedAdapter.part(of: "plantower-pms", on: clock)
            return try await bench.run { bench in
                bench.usb.plug(part, into: 1)
                try await bench.sleep(.minutes(2))
                var states = bench.found.map(\.state)
                #expect(try await bench.ask(IgnoreDevice(target)).error == nil)
                try await bench.sleep(.seconds(20))
                states += bench.found.map(\.state)
                #expect(try await bench.ask(ForgetDevice(target)).error == nil)
                try await bench.sleep(.seconds(20))
                states += bench.found.map(\.state)
                return states
            }
        }
        #expect(states == ["adopted", "ignored", "adopted"])
    }

    /// A part that is silent until it is asked; one that streams would be known without a question.
    private static func silentPart(
        serial: String? = nil,
        on clock: SimulatedClock
    ) -> SimulatedAdapter {
        SimulatedAdapter.sds011("sds", id: 0xA160, serial: serial, mode: .query, on: clock)
    }

    /// In the same socket, and by its number in another one.
    @Test(arguments: [nil, "0001"] as [String?])
    func anIgnoredPartIsAskedNothingWhenItIsPluggedInAgain(serial: String?) throws {
        let (heard, states) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = Self.silentPart(serial: serial, on: clock)
            return try await bench.run { bench in
                bench.usb.plug(part, into: 1)
                try await bench.sleep(.minutes(2))
                #expect(try await bench.ask(IgnoreDevice("sds011")).error == nil)
                try await bench.sleep(.seconds(30))
                let before = part.heardByteCount
                var states = bench.found.map(\.state)
                for _ in 1...3 {
                    bench.usb.unplug(1)
                    try await bench.sleep(.minutes(3))
                    bench.usb.plug(part, into: 1)
                    try await bench.sleep(.minutes(1))
                    states += bench.found.map { "\($0.state) \($0.name ?? "")" }
                }
                let heard = part.heardByteCount - before
                #expect(try await bench.ask(AdoptDevice("/dev/ttyUSB0")).error == nil)
                try await bench.sleep(.minutes(1))
                return (heard, states + bench.found.map(\.state))
            }
        }
        #expect(heard == 0)
        let ignored = Array(repeating: "ignored sds011", count: 3)
        #expect(states == ["ignored"] + ignored + ["adopted"])
    }

    /// Another adapter in its socket is looked at, and so is the part in another socket, once.
    @Test func anIgnoredPartLeavesItsSocketToAnother() throws {
        let (states, heard) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = Self.silentPart(on: clock)
            let other = try SimulatedAdapter.part(
                of: "plantower-pms",
                usb: ("10c4", "ea60"),
                on: clock
            )
            return try await bench.run { bench in
                bench.usb.plug(part, into: 1)
                try await bench.sleep(.minutes(2))
                _ = try await bench.ask(IgnoreDevice("sds011"))
                try await bench.sleep(.seconds(30))
                bench.usb.unplug(1)
                try await bench.sleep(.minutes(3))
                bench.usb.plug(other, into: 1)
                bench.usb.plug(part, into: 2)
                try await bench.sleep(.minutes(2))
                let states = bench.found.map(\.state)
                let before = part.heardByteCount
                bench.usb.unplug(2)
                try await bench.sleep(.minutes(3))
                bench.usb.plug(part, into: 2)
                try await bench.sleep(.minutes(1))
                return (states + bench.found.map(\.state), part.heardByteCount - before)
            }
        }
        #expect(states == ["adopted", "ignored", "adopted", "ignored"])
        #expect(heard == 0)
    }

    /// A rename moves a device's history, newest values and mutes to the new name.
    @Test func aRenameCarriesItsPastWithIt() throws {
        let folder = try TestFolder()
        let text = """
            {"name": "test", "mode": "live",
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """
        let (counts, mutes, isMuted) = try simulate { clock in
            let bench = try DetectionBench(clock, text)
            return try await bench.run { bench in
                bench.usb.plug(.sds011("sds", id: 0xA160, on: clock), into: 1)
                try await bench.sleep(.minutes(2))
                let before = bench.values(of: "sds011").count
                _ = try await bench.ask(MuteDevice("sds011/pm10"))
                _ = try await bench.ask(RenameDevice("sds011", to: "balcony"))
                try await bench.sleep(.minutes(2))
                let after = ["sds011", "balcony"].map { bench.values(of: $0).count }
                let newest = bench.values(of: "balcony").suffix(10)
                return (
                    [before] + after, bench.station.context.mutes.current.map(\.target),
                    newest.allSatisfy { $0.channel.quantity == .pm25 }
                )
            }
        }
        #expect(counts[1] == 0 && counts[2] > counts[0])
        #expect(mutes == ["balcony/pm10"] && isMuted)
        let reader = try HistoryReader(path: folder.path("history.db"))
        #expect(try reader.streams().map(\.device) == ["balcony"])
        let spans = try StreamExtents(reader).spans(of: StreamID(1))
        let samples = try RawSamples(reader, StreamID(1), spans)
        var ticks: [Int64] = []
        while let sample = try samples.next() { ticks.append(sample.tick.tenths / 10) }
        #expect(ticks.contains { $0 < 110 } && ticks.contains { $0 > 200 })
        let runs = try NodeRuns.all(in: reader)
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        let reports = try GapLedgerReports.all(
            of: reader,
            along: timeline,
            within: 0..<timeline.length
        )
        let gaps = reports.flatMap(\.lines).flatMap(\.gaps)
        #expect(gaps.allSatisfy { $0.cause != .unexplained }, "\(gaps)")
    }

    /// Another card finds its sensor under another name.
    @Test func anExportNamesTheSensorsThatWereRenamed() throws {
        let (before, after) = try simulate { clock in
            let bench = try DetectionBench(clock, #"{"name": "test", "mode": "live"}"#)
            return try await bench.run { bench in
                bench.usb.plug(.sds011("sds", id: 0xA160, on: clock), into: 1)
                try await bench.sleep(.minutes(1))
                let before = try bench.station.state.exported().leftOut
                _ = try await bench.ask(RenameDevice("sds011", to: "balcony"))
                try await bench.sleep(.minutes(1))
                bench.usb.unplug(1)
                try await bench.sleep(.minutes(1))
                return (before, try bench.station.state.exported().leftOut)
            }
        }
        #expect(before.isEmpty)
        #expect(after.count == 1 && after.first?.hasPrefix("balcony: the name") == true)
    }

    /// While its line is probed again after the rename.
    @Test func adoptRightAfterARenameIsNotInItsOwnWay() throws {
        let (answers, names, events) = try simulate { clock in
            let bench = try DetectionBench(clock, #"{"name": "test", "mode": "live"}"#)
            return try await bench.run { bench in
                bench.usb.plug(.sds011("sds", id: 0xA160, on: clock), into: 1)
                try await bench.sleep(.minutes(1))
                let renamed = try await bench.ask(RenameDevice("sds011", to: "balcony"))
                var answers = [renamed.error?.message]
                for name in ["balcony", "porch", "porch"] {
                    let answer = try await bench.ask(AdoptDevice("/dev/ttyUSB0", name: name))
                    answers.append(answer.error?.message)
                }
                try await bench.sleep(.minutes(1))
                let names = bench.found.map { "\($0.state) \($0.name ?? "")" }
                let count = bench.values(of: "porch").count
                #expect(count > 60, "what was measured as sds011 is the sensor's too")
                return (answers, names, bench.events.map(\.kind.name))
            }
        }
        #expect(answers == [nil, nil, nil, nil])
        #expect(names == ["adopted porch"])
        #expect(!events.contains("name not given"))
    }

    @Test func renamesIgnoresAdoptsAndForgets() throws {
        let (names, refused) = try simulate { clock in
            let bench = try DetectionBench(clock, #"{"name": "test", "mode": "live"}"#)
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                bench.usb.plug(sensor, into: 1)
                try await bench.sleep(.minutes(1))
                var names: [String] = []
                func say<Asked: Question>(_ question: Asked) async throws {
                    #expect(try await bench.ask(question).error == nil)
                    try await bench.sleep(.seconds(30))
                    let now = bench.found.first
                    names.append("\(now?.state ?? "") \(now?.name ?? "")")
                }
                try await say(RenameDevice("sds011", to: "balcony"))
                try await say(IgnoreDevice("balcony"))
                try await say(AdoptDevice("/dev/ttyUSB0"))
                try await say(ForgetDevice("nova-sds011:A160"))
                let refused = try await bench.ask(RenameDevice("sds011", to: "store"))
                let unknown = try await bench.ask(IgnoreDevice("nobody"))
                return (names, [refused.error?.code, unknown.error?.code])
            }
        }
        #expect(
            names == ["adopted balcony", "ignored balcony", "adopted balcony", "adopted sds011"]
        )
        #expect(refused == [.badRequest, .notFound])
    }
}

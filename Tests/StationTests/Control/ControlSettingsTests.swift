import Alerts
import Configuration
import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct ControlSettingsTests {
    private static func text(_ folder: TestFolder, name: String = "") -> String {
        """
        {\(name)"mode": "live",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"},
                     {"name": "door", "type": "pir", "line": "GPIO17"}],
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    private static func station(
        _ clock: SimulatedClock,
        _ folder: TestFolder,
        after earlier: TestStation? = nil
    ) throws -> TestStation {
        let test = try TestStation(
            clock,
            text(folder),
            air: .drifting(seed: 5),
            card: earlier?.platform.card ?? SimulatedCard()
        )
        let profile = try #require(ProfileCatalog.shipped.profile("milano-board"))
        for host in ["10.0.0.9", "10.0.0.8:81"] {
            test.platform.network.put(try HTTPLineSimulator(profile, seed: 7), at: host)
        }
        return test
    }

    private static func add(
        _ test: TestStation,
        _ name: String = "board",
        at address: String = "10.0.0.9"
    ) async throws -> ControlAnswer<DevicesReport> {
        var question = ConfigureDevice(name, address: address)
        (question.profile, question.isNew) = ("milano-board", true)
        return try await test.ask(question, for: "Anna")
    }

    private static func device(_ answer: ControlAnswer<DevicesReport>) -> DeviceReport? {
        answer.body?.devices.first { $0.name == "board" }
    }

    @Test func anAddedDeviceMeasuresAndIsThereAfterARestart() throws {
        let folder = try TestFolder(isInMemory: true)
        let (added, values, second, event) = try simulate { clock in
            let one = try Self.station(clock, folder)
            let (added, values, event) = try await one.run { test in
                try await test.sleep(.seconds(5))
                let added = Self.device(try await Self.add(test))
                try await test.sleep(.seconds(30))
                let values = test.station.status.channels.count { $0.channel.hasPrefix("board/") }
                let event = test.events.first { $0.kind == .plain(.settingsChanged) }
                return (added, values, event)
            }
            let two = try Self.station(clock, folder, after: one)
            let second = try await two.run { test in
                try await test.sleep(.seconds(30))
                return try await test.ask(GetDevices())
            }
            return (added, values, Self.device(second), event)
        }
        #expect(added?.location == "http://10.0.0.9/" && added?.origin == "owner")
        #expect(values == 11 && second?.state == "answering")
        #expect(second?.intervalSeconds == 5 && second?.hasFixedInterval == false)
        let details = try #require(event).details.map { "\($0.key)=\($0.value)" }
        let now = #"{"address":"http://10.0.0.9","type":"milano-board"}"#
        let wanted = ["setting=devices.board", "before=default", "now=\(now)", "actor=Anna"]
        #expect(details == wanted)
    }

    @Test func addressIntervalAndNameChangeWithoutARestart() throws {
        let folder = try TestFolder(isInMemory: true)
        let (places, names, kinds) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                _ = try await Self.add(test)
                let moved = try await test.ask(
                    ConfigureDevice("board", address: "http://10.0.0.8:81/", seconds: 90)
                )
                try await test.sleep(.minutes(5))
                let count = test.station.context.recorder.readings(since: .boot)
                    .count { $0.channel.description == "board/pm25" }
                #expect((3...5).contains(count), "each 90 s for five minutes")
                let renamed = try await test.ask(RenameDevice("board", to: "court"))
                let gone = try await test.ask(RemoveDevice("court"))
                let names = [renamed, gone].map { $0.body?.devices.map(\.name).sorted() ?? [] }
                let place = Self.device(moved)
                let kinds = test.events.map(\.kind.name).filter { $0 == "configuration reloaded" }
                return ([place?.location, place?.intervalSeconds?.description], names, kinds)
            }
        }
        #expect(places == ["http://10.0.0.8:81/", "90.0"])
        #expect(names == [["court", "door", "dust"], ["door", "dust"]])
        #expect(kinds.isEmpty)
    }

    /// The attic has measured nothing, and the court is a device that was removed.
    @Test(arguments: [false, true])
    func thePastFollowsARenameOnlyWhenTheCardHasTheName(isRefused: Bool) throws {
        let folder = try TestFolder(isInMemory: true)
        let codes = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                _ = try await Self.add(test, "court", at: "10.0.0.8:81")
                try await test.sleep(.seconds(30))
                _ = try await test.ask(RemoveDevice("court"))
                _ = try await Self.add(test)
                try await test.sleep(.seconds(30))
                _ = try await Self.add(test, "attic", at: "10.0.0.7")
                if isRefused { test.platform.card.folder.refuse(with: .full(path: "store")) }
                var codes: [RefusalCode?] = []
                for (old, name) in [("board", "porch"), ("attic", "court")] {
                    codes.append(try await test.ask(RenameDevice(old, to: name)).error?.code)
                }
                try await test.sleep(.seconds(30))
                return codes
            }
        }
        let wanted: [RefusalCode?] = isRefused ? [.store, .store] : [nil, nil]
        #expect(codes == wanted)
        let reader = try HistoryReader(path: "\(folder.path)/history.db")
        let streams = try reader.streams()
        let (name, other) = isRefused ? ("board", "porch") : ("porch", "board")
        let devices = Set(streams.map(\.device))
        #expect(devices.isSuperset(of: ["court", name]) && !devices.contains(other))
        let measured = Set(streams.filter { $0.device == name }.map(\.id))
        let last = try reader.schedules().last { measured.contains($0.stream) }
        #expect(last?.interval != nil, "samples are expected on")
    }

    @Test func aSwitchOfTheRecordShowsInTheLedgerAndNotInTheLiveValues() throws {
        let folder = try TestFolder(isInMemory: true)
        let (live, records) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.minutes(5))
                let off = try await test.ask(RecordDevice("dust", isOn: false))
                try await test.sleep(.minutes(10))
                let live = test.readings().suffix(500).allSatisfy { $0.outcome.value != nil }
                let shown = test.station.status.channels.map(\.records)
                let on = try await test.ask(RecordDevice("dust", isOn: true))
                try await test.sleep(.minutes(5))
                let reports = [off, on].map { answer in
                    answer.body?.devices.first { $0.name == "dust" }?.records
                }
                return (live, reports + shown)
            }
        }
        #expect(live)
        #expect(records == [false, true, false, false])
        let reader = try HistoryReader(path: "\(folder.path)/history.db")
        let stream = try #require(try reader.streams().first { $0.device == "dust" })
        let samples = try RawSamples(reader, stream.id, StreamExtents(reader).spans(of: stream.id))
        var counts: [Outcome?: Int] = [:]
        while let sample = try samples.next() {
            let outcome = sample.outcomes[0]
            counts[outcome.value == nil ? outcome : nil, default: 0] += 1
        }
        let unkept = counts[.noData(.notKept)] ?? 0
        #expect((598...602).contains(unkept), "ten minutes, each second")
        #expect((counts[nil] ?? 0) > 500, "before and after it the values are there")
    }

    @Test func whatIsRefusedChangesNothingAndNamesThePlace() throws {
        let folder = try TestFolder(isInMemory: true)
        let answers = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                _ = try await Self.add(test)
                let before = OverlayFile(test.platform.card.folder).read()
                let answers = [
                    try await Self.add(test),
                    try await Self.add(test, "b", at: "127.0.0.1"),
                    try await Self.add(test, "b", at: "8.8.8.8"),
                    try await Self.add(test, "b", at: "10.0.0.9"),
                    try await Self.add(test, "b c"),
                    try await test.ask(ConfigureDevice("board", seconds: 0.5)),
                    try await test.ask(ConfigureDevice("attic", seconds: 5)),
                    try await test.ask(ConfigureDevice("dust", address: "10.0.0.7")),
                    try await test.ask(ConfigureDevice("board")),
                    try await test.ask(RemoveDevice("dust")),
                    try await test.ask(RecordDevice("door", isOn: false)),
                    try await test.ask(IgnoreDevice("board")),
                ]
                #expect(OverlayFile(test.platform.card.folder).read() == before)
                return answers
            }
        }
        #expect(
            answers.map { $0.error?.code } == [
                .conflict, .badRequest, .badRequest, .badRequest, .badRequest,
                .badRequest, .notFound, .conflict, .badRequest, .conflict,
                .badRequest, .conflict,
            ]
        )
        #expect(
            answers.prefix(6).map { $0.error?.pointer } == [
                "/name", "/address", "/address", "/address", "/name", "/intervalSeconds",
            ]
        )
        #expect(answers[3].error?.message == "address: is the address of board too")
    }

    /// Lamp and channels go by the owner's limits at once, for the value that is there.
    @Test func otherLevelsAreInUseAtOnce() throws {
        let folder = try TestFolder(isInMemory: true)
        let (found, refusal) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.minutes(4))
                var found: [String: String] = [:]
                for rule in LevelRule.all {
                    let patch = #"{"levels":"\#(rule.name)"}"#
                    _ = try await test.ask(ChangeSettings(patch))
                    let status = test.station.status
                    let levels = status.channels.compactMap { channel -> AirLevel? in
                        #expect((channel.levelMean != nil) == rule.judgesMean)
                        #expect(channel.levelMeanSeconds == (rule.judgesMean ? 900 : nil))
                        let number = channel.levelMean ?? channel.latest?.value
                        let value = number.flatMap { FixedPoint(decimal: "\($0)") }
                        let quantity = channel.channel.split(separator: "/")[1]
                        let scale = rule.scales.first { $0.quantity == quantity }
                        let level = value.flatMap { scale?.level(of: $0, after: nil) }
                        #expect(channel.level == level?.name, "\(channel.channel)")
                        return level
                    }
                    #expect(status.lampCause?.level == levels.max()?.name, "\(rule.name)")
                    #expect(status.lampCause?.rule == rule.name && status.levels == rule.name)
                    found[rule.name] = levels.max()?.name
                }
                let refusal = try await test.ask(ChangeSettings(#"{"levels":"none"}"#)).error
                return (found, refusal)
            }
        }
        #expect(Set(found.values).count > 1, "the rules agree on all: \(found)")
        #expect(refusal?.code == .badRequest && refusal?.pointer == "/levels")
        #expect(refusal?.message.contains("eaqi") == true, "\(String(describing: refusal))")
    }

    /// A title is for people: the device's name, and so its record, stays.
    @Test func aDeviceHasATitle() throws {
        let folder = try TestFolder(isInMemory: true)
        try simulate { clock in
            let test = try Self.station(clock, folder)
            try await test.run { test in
                try await test.sleep(.minutes(2))
                func set(_ title: String) async throws -> ControlAnswer<DevicesReport> {
                    var question = ConfigureDevice("dust")
                    question.title = title
                    return try await test.ask(question)
                }
                let devices = try await set("Klasse 3b").body?.devices ?? []
                #expect(devices.first { $0.name == "dust" }?.title == "Klasse 3b")
                #expect(test.station.status.titles == ["dust": "Klasse 3b"])
                #expect(try await test.ask(GetAlerts()).body?.titles == ["dust": "Klasse 3b"])
                #expect(test.station.status.channels.contains { $0.channel == "dust/pm25" })
                #expect(try await set("two\nlines").error?.pointer == "/title")
                #expect(try await set("").error == nil)
                #expect(test.station.status.titles == nil)
            }
        }
    }

    @Test func settingsHaveATagAndTheFileWins() throws {
        let folder = try TestFolder(isInMemory: true)
        let (first, reports, codes) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                func set(_ patch: String, _ tag: String? = nil) async throws
                    -> ControlAnswer<SettingsReport>
                {
                    try await test.ask(ChangeSettings(patch, tag: tag))
                }
                let first = try await test.ask(GetSettings()).body
                let patch = #"{"zone": "Europe/Rome", "title": "Klasse 3b"}"#
                let second = try await set(patch, first?.tag)
                #expect(test.station.status.name == "Klasse 3b")
                #expect(test.station.status.zone == "Europe/Rome")
                let answers = [
                    try await set(#"{"zone": null}"#, first?.tag),
                    try await set(#"{"zoen": "x"}"#), try await set(#"{"zone": 5}"#),
                    try await set(#"{"devices": {}}"#), try await set("[]"), try await set(""),
                ]
                let named = Self.text(folder, name: #""title": "file","#)
                test.station.reload(
                    try StationConfiguration.read(Array(named.utf8), file: "roost.json")
                )
                let faults = test.station.status.faults.map(\.id)
                #expect(faults.contains("settings-left-out"))
                let locked = try await set(#"{"title": "more"}"#)
                let last = try await set(#"{"zone": null}"#)
                let codes = (answers + [locked]).map { $0.error?.code }
                return (first, [second.body, last.body], codes)
            }
        }
        #expect(first?.settings.prefix(4).map(\.key) == ["title", "zone", "position", "levels"])
        #expect(first?.settings.prefix(4).map(\.origin) == Array(repeating: .default, count: 4))
        let court = ["Klasse 3b", "Europe/Rome", nil, "sample-levels"]
        #expect(reports[0]?.settings.prefix(4).map(\.value) == court)
        #expect(reports[0]?.settings.prefix(4).map(\.origin) == [.ui, .ui, .default, .default])
        #expect(reports[1]?.settings.prefix(4).map(\.value) == ["file", nil, nil, "sample-levels"])
        #expect(
            reports[1]?.settings.prefix(4).map(\.origin) == [.file, .default, .default, .default]
        )
        #expect(
            codes == [
                .precondition, .unknownField, .badRequest, .unknownField, .badRequest,
                .badRequest, .conflict,
            ]
        )
    }

    @Test func aCardThatTakesNothingIsSaidAndNothingChanges() throws {
        let folder = try TestFolder(isInMemory: true)
        let (failed, then) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                test.platform.card.folder.refuse(with: .full(path: "store"))
                let failed = try await Self.add(test)
                let still = try await test.ask(GetDevices())
                #expect(Self.device(still) == nil)
                test.platform.card.folder.refuse(with: nil)
                return (failed, try await Self.add(test))
            }
        }
        #expect(failed.error?.code == .store)
        #expect(failed.error?.message == "not changed; the card: store: no space left on the card")
        #expect(Self.device(then) != nil)
    }

    @Test func damagedSettingsAreAFaultAndTheStationStarts() throws {
        let folder = try TestFolder(isInMemory: true)
        let faults = try simulate { clock in
            let card = SimulatedCard()
            card.folder.put([0xFF], as: OverlayFile.name)
            let test = try TestStation(clock, Self.text(folder), card: card)
            return try await test.run { test in
                try await test.sleep(.seconds(30))
                return test.station.status.faults
            }
        }
        #expect(faults.map(\.id) == ["settings-damaged"])
        #expect(faults.first?.sentence.hasSuffix("the station runs without them") == true)
    }

    @Test func aStationWithoutAStoreRemembersNothing() throws {
        let error = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                return try await Self.add(test).error
            }
        }
        #expect(error?.code == .notOffered)
    }

    @Test(arguments: ["", "a\u{1B}[2J", String(repeating: "x", count: 65)])
    func aNameOfAPersonIsALineOfText(actor: String) throws {
        let error = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.ask(ChangeMode("live"), for: actor).error
            }
        }
        #expect(error?.code == .badRequest && error?.pointer == "/actor")
    }
}

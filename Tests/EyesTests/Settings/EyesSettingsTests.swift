import Camera
import ControlProtocol
import Core
import FileIO
import Profiles
import TestSupport
import Testing

@testable import Eyes

@Suite struct EyesSettingsTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder(isInMemory: true) }

    private func settings(_ file: String = "{}") throws -> EyesSettings {
        let values = try EyesSettings.read(Array(file.utf8), file: "eyes.json").values
        let settings = EyesSettings(values, path: "/etc/roost/eyes.json", folder: folder.path)
        settings.load()
        return settings
    }

    private func put(_ text: String, _ name: String = EyesOverlay.name) throws {
        try Files.replace(folder.path(name), with: Array(text.utf8), mode: 0o640)
    }

    private func content(_ name: String = EyesOverlay.name) throws -> String? {
        try Files.readIfThere(folder.path(name), limit: 1 << 20)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func value(_ key: String, of settings: EyesSettings) -> String? {
        settings.report(cameras: []).settings.first { $0.key == key }
            .map { "\($0.value) \($0.origin.rawValue)" }
    }

    @Test func aCameraIsOnOnceItIsChosen() throws {
        let settings = try settings()
        #expect(settings.inUse.configuration == nil && settings.trouble == nil)
        #expect(value("camera.device", of: settings) == "null default")
        #expect(value("live.width", of: settings) == "640 default")
        let version = settings.inUse.version
        try settings.change(ChangeCamera(#"{"camera": {"device": "any"}, "live": {"isOn": true}}"#))
        let inUse = try #require(settings.inUse.configuration)
        #expect(inUse.camera?.choice == .any && inUse.live != nil && inUse.records)
        #expect(settings.inUse.version == version + 1 && settings.hasChanged.consume())
        #expect(value("camera.device", of: settings) == "\"any\" ui")
        #expect(value("live.isOn", of: settings) == "true ui")
        #expect(try self.settings().inUse.configuration == inUse)
        #expect(try content() == "{\"camera\":{\"device\":\"any\"},\"live\":{\"isOn\":true}}\n")
    }

    @Test func whatTheOwnerSetBecomesAFile() throws {
        let own = try settings(#"{"retentionDays": 3}"#)
        let text = #"""
            {"camera": {"device": "any"}, "masks": ["18:00-08:00"], "covers": ["0 0 500 500"],
             "live": {"width": 320}}
            """#
        try own.change(ChangeCamera(text))
        let file = try own.exported()
        #expect(file.name == "eyes.json" && file.leftOut.isEmpty)
        let values = try EyesSettings.read(Array(file.content.utf8), file: "eyes.json").values
        let other = EyesSettings(values, path: "/etc/roost/eyes.json", folder: "/nowhere")
        other.load()
        #expect(other.inUse.configuration == own.inUse.configuration)
        #expect(value("masks", of: other) == "[\"18:00-08:00\"] file")
        // A size alone is no camera in a file either.
        try own.change(ChangeCamera(#"{"camera": {"width": 640}}"#))
        let none = try own.exported()
        #expect(!none.content.contains("640") && none.leftOut.count == 1)
    }

    @Test(arguments: [
        ("rtsp://admin:hunter2@192.168.1.30/1", true),
        ("curl http://host/a 'https://hunter2@host/b'", true),
        ("rtsp://admin:hunter2#?@192.168.1.30", true),
        ("rtsp://192.168.1.30/hunter2@home", false),
        ("hunter2@home:1", false),
    ])
    func aProgramWithAPasswordIsNotExported(word: String, isLeftOut: Bool) throws {
        let command = #"["ffmpeg", "-i", "\#(word)"]"#
        let alone = try settings(#"{"command": \#(command), "retentionDays": 3}"#).exported()
        #expect(alone.content.contains("hunter2") != isLeftOut)
        #expect(alone.content.contains("retentionDays"))
        #expect(alone.leftOut.contains { $0.hasPrefix("command: ") } == isLeftOut)
        let live = #"{"command": ["x"], "live": {"command": \#(command), "width": 320}}"#
        let file = try settings(live).exported()
        #expect(file.content.contains("hunter2") != isLeftOut)
        #expect(file.leftOut.contains { $0.hasPrefix("live.command: ") } == isLeftOut)
        let values = try EyesSettings.read(Array(file.content.utf8), file: "eyes.json").values
        let other = EyesSettings(values, path: "/etc/roost/eyes.json", folder: "/nowhere")
        other.load()
        let inUse = try #require(other.inUse.configuration)
        #expect(inUse.command == ["x"] && (inUse.live == nil) == isLeftOut)
    }

    @Test func partsThatStayBlackAreRectangles() throws {
        let settings = try settings()
        try settings.change(ChangeCamera(#"{"covers": ["0 600 300 400"]}"#))
        #expect(value("covers", of: settings) == "[\"0 600 300 400\"] ui")
        let text = #"""
            {"covers": ["0 600 300 400"], "camera": {"device": "any"}, "live": {"isOn": true}}
            """#
        try settings.change(ChangeCamera(text))
        #expect(value("live.height", of: settings) == "360 default")
        #expect(settings.report(cameras: []).coverTrouble == nil)
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera(#"{"covers": ["0 600 300 401"]}"#))
        }
        #expect(failure?.pointer == "/covers/0")
    }

    @Test func aSizeAloneSwitchesNothingOn() throws {
        let settings = try settings()
        try settings.change(ChangeCamera(#"{"camera": {"width": 640}, "live": {"width": 320}}"#))
        #expect(settings.inUse.configuration == nil)
        #expect(value("camera.device", of: settings) == "null default")
        #expect(value("camera.width", of: settings) == "640 ui")
        #expect(value("live.isOn", of: settings) == "false default")
        let text = #"{"camera": {"device": "any", "width": 640}, "live": {"width": 320}}"#
        try settings.change(ChangeCamera(text))
        #expect(settings.inUse.configuration?.camera?.width == 640)
        #expect(settings.inUse.configuration?.live == nil)
    }

    @Test func aBackupBringsTheSettingsToAnotherStation() throws {
        let settings = try settings()
        try settings.change(
            ChangeCamera(#"{"camera": {"device": "any"}, "masks": ["18:00-08:00"]}"#)
        )
        let content = try settings.backup().content
        try settings.change(ChangeCamera(#"{"record": false, "retentionDays": 3}"#))
        let before = try self.content()
        func shown(_ isTrial: Bool) throws -> [String] {
            try settings.restore(RestorePart(content, isTrial: isTrial)).items.map { item in
                "\(item.kind) \(item.name) \(item.change) \(item.value ?? "–")"
            }
        }
        let all = [
            "camera camera.device added \"any\"", "camera masks added [\"18:00-08:00\"]",
            "camera record removed –", "camera retentionDays removed –",
        ]
        #expect(try shown(true) == all)
        #expect(try self.content() == before, "a look changes nothing")
        #expect(try shown(false) == all)
        #expect(settings.inUse.configuration?.masks == [try #require(MaskTime("18:00-08:00"))])
        #expect(try self.content() == content + "\n")
        #expect(try shown(true).allSatisfy { $0.contains(" same ") })
        try settings.undo(UndoCamera())
        #expect(try self.content() == before)
    }

    @Test(arguments: ["", "[1]", #"{"command": ["sh"]}"#, #"{"masks": ["22-6"]}"#])
    func aBackupThatCannotBeUsedChangesNothing(content: String) throws {
        let settings = try settings()
        try settings.change(ChangeCamera(#"{"record": false}"#))
        for isTrial in [true, false] {
            let failure = #expect(throws: ControlFailure.self) {
                try settings.restore(RestorePart(content, isTrial: isTrial))
            }
            #expect(failure?.code == .badRequest)
        }
        #expect(try self.content() == "{\"record\":false}\n")
    }

    @Test func aRestoreSaysWhatTheFileSetsAndPutsDamageAside() throws {
        try put("{")
        let settings = try settings(#"{"masks": ["18:00-08:00"]}"#)
        #expect(throws: ControlFailure.self) { try settings.backup() }
        let content = #"{"masks":["01:00-02:00"],"retentionDays":4}"#
        let items = try settings.restore(RestorePart(content, isTrial: false)).items
        #expect(items.map { $0.next?.contains("/etc/roost/eyes.json") } == [true, nil])
        #expect(settings.trouble == nil)
        #expect(try self.content(EyesOverlay.damaged) == "{")
        #expect(try self.content() == content + "\n")
    }

    @Test func theFileWinsAndLocks() throws {
        try put(#"{"masks": ["01:00-02:00"], "retentionDays": 3}"#)
        let file = #"{"camera": {"width": 320}, "masks": ["18:00-08:00"]}"#
        let settings = try settings(file)
        let inUse = try #require(settings.inUse.configuration)
        let evening = try #require(MaskTime("18:00-08:00"))
        #expect(inUse.masks == [evening] && inUse.retentionDays == 3)
        #expect(value("masks", of: settings) == "[\"18:00-08:00\"] file")
        #expect(value("camera.width", of: settings) == "320 file")
        for text in [#"{"masks": []}"#, #"{"camera": {"width": 640}}"#] {
            let failure = #expect(throws: ControlFailure.self) {
                try settings.change(ChangeCamera(text))
            }
            #expect(failure?.code == .conflict)
            #expect(failure?.message.contains("/etc/roost/eyes.json") == true)
        }
        // What is there already, and counts nothing, may stay.
        try settings.change(ChangeCamera(#"{"masks": ["01:00-02:00"], "retentionDays": 4}"#))
        #expect(settings.inUse.configuration?.retentionDays == 4)
    }

    @Test(arguments: [
        (#"{"command": ["sh"]}"#, "/command"),
        (#"{"live": {"command": ["sh"]}}"#, "/live/command"),
        (#"{"ring": "/etc/passwd"}"#, "/ring"),
        (#"{"megabytes": 1}"#, "/megabytes"),
        (#"{"camera": {"device": "video0"}}"#, "/camera/device"),
        (#"{"camera": {"wdith": 1}}"#, "/camera/wdith"),
        (#"{"masks": ["22-6"]}"#, "/masks/0"),
        (#"{"retentionDays": 0}"#, "/retentionDays"),
    ])
    func whatAnOwnerMayNotSayChangesNothing(text: String, pointer: String) throws {
        let settings = try settings()
        try settings.change(ChangeCamera(#"{"record": false}"#))
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera(text))
        }
        #expect(failure?.pointer == pointer && failure?.code == .badRequest)
        #expect(try content() == "{\"record\":false}\n")
        #expect(throws: ControlFailure.self) { try settings.tried(text) }
    }

    @Test func aProgramOfTheFileHasThePlaceOfACamera() throws {
        let settings = try settings(#"{"command": ["x"], "live": {"command": ["v"]}}"#)
        #expect(settings.report(cameras: []).hasProgram)
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera(#"{"camera": {"device": "any"}}"#))
        }
        #expect(failure?.code == .conflict)
        try settings.change(ChangeCamera(#"{"live": {"isOn": false, "framesPerSecond": 5}}"#))
        #expect(settings.inUse.configuration?.live == nil)
        #expect(settings.inUse.configuration?.command == ["x"])
        try settings.change(ChangeCamera(#"{"live": {"framesPerSecond": 5}}"#))
        #expect(settings.inUse.configuration?.live?.framesPerSecond == 5)
        #expect(settings.inUse.configuration?.live?.command == ["v"])
    }

    @Test func aCameraOfTheFileCannotBeSwitchedOffByAnOwner() throws {
        try put(#"{"camera": {"device": "usb:046d:0825"}}"#)
        let settings = try settings(#"{"camera": {"width": 640}}"#)
        #expect(settings.inUse.configuration?.camera?.choice == .any)
        #expect(value("camera.device", of: settings) == "\"any\" file")
        #expect(value("camera.height", of: settings) == "720 default")
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera(#"{"camera": {"device": "/dev/video1"}}"#))
        }
        #expect(failure?.code == .conflict && failure?.pointer == "/camera/device")
        try settings.change(ChangeCamera(#"{"camera": {"height": 480}}"#))
        #expect(settings.inUse.configuration?.camera?.height == 480)
    }

    @Test func noDeviceIsNoCamera() throws {
        let settings = try settings()
        try settings.change(ChangeCamera(#"{"camera": {"device": null}}"#))
        #expect(settings.inUse.configuration == nil && !settings.report(cameras: []).isOn)
        #expect(value("camera.device", of: settings)?.hasPrefix("null") == true)
    }

    @Test func aProgramForPicturesGivesNoLivePicture() throws {
        try put(#"{"live": {"isOn": true}, "retentionDays": 3}"#)
        let settings = try settings(#"{"command": ["x"]}"#)
        let inUse = try #require(settings.inUse.configuration)
        #expect(settings.trouble == nil && inUse.live == nil && inUse.retentionDays == 3)
        #expect(value("live.isOn", of: settings) == "false file")
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera(#"{"live": {"isOn": false}}"#))
        }
        #expect(failure?.code == .conflict && failure?.pointer == "/live/isOn")
    }

    @Test func twoOwnersDoNotOverwriteEachOther() throws {
        let settings = try settings()
        let tag = settings.report(cameras: []).tag
        try settings.change(ChangeCamera(#"{"record": false}"#, tag: tag))
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera(#"{"retentionDays": 2}"#, tag: tag))
        }
        #expect(failure?.code == .conflict)
        #expect(try content() == "{\"record\":false}\n")
    }

    @Test func aChangeIsTakenBackAlsoAfterARestart() throws {
        let settings = try settings()
        #expect(!settings.report(cameras: []).canUndo)
        #expect(throws: ControlFailure.self) { try settings.undo(UndoCamera()) }
        try settings.change(ChangeCamera(#"{"retentionDays": 2}"#))
        try settings.change(ChangeCamera(#"{"retentionDays": 3}"#))
        let again = try self.settings()
        #expect(again.report(cameras: []).canUndo)
        try again.undo(UndoCamera())
        #expect(try content() == "{\"retentionDays\":2}\n")
        try again.undo(UndoCamera())
        #expect(try content() == "{\"retentionDays\":3}\n")
    }

    @Test(arguments: ["{", "[]", #"{"masks": ["x"]}"#, #"{"command": ["x"]}"#])
    func settingsThatCannotBeUsedKeepTheCameraOffAndStay(text: String) throws {
        let before = try settings()
        try before.change(ChangeCamera(#"{"retentionDays": 2}"#))
        try before.change(ChangeCamera(#"{"retentionDays": 3}"#))
        try put(text)
        let settings = try settings(#"{"camera": {}}"#)
        #expect(settings.inUse.configuration == nil)
        let report = settings.report(cameras: [])
        #expect(report.trouble?.hasPrefix("the camera is off") == true && !report.isOn)
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera("{}"))
        }
        #expect(failure?.code == .store)
        #expect(throws: ControlFailure.self) { try settings.tried(nil) }
        #expect(throws: ControlFailure.self) { try settings.tried("{}") }
        #expect(try content() == text)
        // The way back for an owner without a shell; the file stays for people to look at.
        try settings.undo(UndoCamera())
        #expect(settings.trouble == nil && settings.inUse.configuration != nil)
        #expect(try content(EyesOverlay.damaged) == text)
        // The way back is still there after a power cut.
        let good = "{\"retentionDays\":2}\n"
        #expect(try content() == good && content(EyesOverlay.last) == good)
        #expect(!settings.report(cameras: []).canUndo)
    }

    @Test func aChangeThatTheCardDoesNotTakeIsNotInUse() throws {
        let settings = EyesSettings([:], path: "eyes.json", folder: folder.path("none"))
        settings.load()
        let failure = #expect(throws: ControlFailure.self) {
            try settings.change(ChangeCamera(#"{"camera": {}}"#))
        }
        #expect(failure?.code == .store && settings.inUse.configuration == nil)
    }

    @Test func theReaderNamesEachSettingAndItsRange() throws {
        let settings = try settings().report(cameras: []).settings
        let keys = Set(settings.map(\.key))
        let wanted: Set = [
            "camera.device", "camera.width", "live.isOn", "live.framesPerSecond", "masks",
            "record", "retentionDays",
        ]
        #expect(keys.isSuperset(of: wanted))
        #expect(keys.isDisjoint(with: ["command", "live.command", "ring", "megabytes"]))
        let rate = try #require(settings.first { $0.key == "live.framesPerSecond" })
        #expect(rate.low == 1 && rate.high == 30 && rate.value == "10")
    }
}

import Camera
import Profiles
import TestSupport
import Testing

@testable import Eyes

@Suite struct EyesConfigurationTests {
    @Test func aCommandIsEnough() throws {
        let text = #"{"command": ["rpicam-still", "-o", "-"]}"#
        let found = try EyesConfiguration(Array(text.utf8), file: "eyes.json")
        #expect(found.command.count == 3)
        #expect(found.limit == .seconds(15))
        #expect(found.shape == PictureShape(megabytes: 64, count: 400))
        #expect(found.masks.isEmpty)
    }

    @Test func aRingKeepsItsShapeUnlessTheFileGivesOne() throws {
        let folder = try TestFolder(isInMemory: true)
        func camera(_ more: String = "") throws -> EyesConfiguration {
            let text = "{\"camera\": {}, \"ring\": \"\(folder.path("pictures"))\"\(more)}"
            return try EyesConfiguration(Array(text.utf8), file: "eyes.json")
        }
        let wanted = try #require(PictureShape(megabytes: 64, count: 200))
        let small = try #require(PictureShape(megabytes: 1, count: 5))
        #expect(try camera().shapeInUse == wanted)
        try PictureWriterLock.change(camera().ring, shape: small) { _ in }
        #expect(try camera().shapeInUse == small)
        #expect(try camera(", \"megabytes\": 64").shapeInUse == wanted)
    }

    @Test func allMistakesAreNamedAtOnce() {
        let text = #"{"command": [], "megabytes": 1, "pictures": 900, "masks": ["22-6"], "x": 1}"#
        do {
            _ = try EyesConfiguration(Array(text.utf8), file: "eyes.json")
            Issue.record("was accepted")
        } catch {
            let places = Set(error.problems.map(\.place))
            #expect(places.isSuperset(of: ["command", "pictures", "masks[0]"]))
            #expect(error.problems.count == 4)
        }
    }

    @Test func aMaskMayGoOverMidnight() throws {
        let night = try #require(MaskTime("22:00-06:30"))
        #expect([1_320, 1_439, 0, 389].allSatisfy(night.covers))
        #expect(![390, 720, 1_319].contains(where: night.covers))
        let noon = try #require(MaskTime("12:00-13:00"))
        #expect(noon.covers(720) && !noon.covers(780) && !noon.covers(719))
        #expect(
            ["", "22:00", "24:00-01:00", "1:00-2:00", "05:00-05:00", "+1:00-02:00"]
                .allSatisfy { MaskTime($0) == nil }
        )
    }

    @Test func theLivePictureIsOffUntilItHasACommand() throws {
        let none = try EyesConfiguration(Array(#"{"command": ["x"]}"#.utf8), file: "eyes.json")
        #expect(none.live == nil)
        let text = #"""
            {"command": ["x"], "live": {"width": 320, "height": 200, "framesPerSecond": 5,
             "command": ["v", "--size={width}x{height}", "{framesPerSecond}", "{other}"]}}
            """#
        let live = try #require(
            try EyesConfiguration(Array(text.utf8), file: "eyes.json").live
        )
        #expect(live.command == ["v", "--size=320x200", "5", "{other}"])
        #expect(live.bounds == MachineBounds(celsiusMax: 75, freeMegabytesMin: 64))
        let wrong = #"{"command": ["x"], "live": {"framesPerSecond": 31, "celsius": 1}}"#
        do {
            _ = try EyesConfiguration(Array(wrong.utf8), file: "eyes.json")
            Issue.record("was accepted")
        } catch {
            let places = Set(error.problems.map(\.place))
            #expect(places == ["live.command", "live.framesPerSecond", "live.celsius"])
        }
    }

    @Test func aCameraTakesThePlaceOfACommand() throws {
        let text = #"""
            {"camera": {"device": "usb:046d:0825", "width": 640, "height": 480,
             "settleSeconds": 0.5}, "live": {"framesPerSecond": 15}}
            """#
        let found = try EyesConfiguration(Array(text.utf8), file: "eyes.json")
        let start = [CameraSettings.program, "camera", "--device=usb:046d:0825", "--quality=80"]
        #expect(found.command == start + ["--width=640", "--height=480", "--settle=0.5"])
        let live = try #require(found.live)
        let rest = ["--width=640", "--height=480", "--frames-per-second=15", "--endless"]
        #expect(live.command == start + rest && !live.isOwn)
    }

    @Test(arguments: [
        (#""camera": {}, "live": {}"#, "640x360"),
        (#""camera": {"width": 1366, "height": 768}, "live": {}"#, "640x360"),
        (#""camera": {"width": 720, "height": 1280}, "live": {}"#, "360x640"),
        (#""camera": {}, "live": {"width": 320}"#, "320x180"),
        (#""camera": {}, "live": {"height": 720}"#, "1280x720"),
        (#""camera": {"width": 640, "height": 480}, "live": {}"#, "640x480"),
    ])
    func theLivePictureHasTheRatioOfPicturesWithCovers(_ text: String, _ size: String) throws {
        let covered = #"{\#(text), "covers": ["0 0 500 500"]}"#
        let found = try EyesConfiguration(Array(covered.utf8), file: "eyes.json")
        let live = try #require(found.live)
        #expect("\(live.width)x\(live.height)" == size && found.coverTrouble == nil)
        let plain = try EyesConfiguration(Array("{\(text)}".utf8), file: "eyes.json")
        let hasStandard = plain.live?.width == 640 || plain.live?.height == 480
        #expect(hasStandard && plain.coverTrouble == nil)
    }

    @Test func coversOfAnotherRatioAreSaid() throws {
        let text = #"""
            {"camera": {}, "live": {"width": 640, "height": 480}, "covers": ["0 0 500 500"]}
            """#
        let found = try EyesConfiguration(Array(text.utf8), file: "eyes.json")
        #expect(found.coverTrouble?.contains("640 × 480 than in pictures of 1280 × 720") == true)
    }

    @Test(arguments: [
        (#"{"camera": {}, "command": ["x"]}"#, "command"),
        (#"{}"#, "command"),
        (#"{"camera": {"device": "video0"}}"#, "camera.device"),
        (#"{"camera": {"settleSeconds": 11}}"#, "camera.settleSeconds"),
        (#"{"camera": {"quality": 0}}"#, "camera.quality"),
        (#"{"camera": {"width": 640.5}}"#, "camera.width"),
        (#"{"camera": {}, "pictures": 1.5}"#, "pictures"),
        (#"{"camera": {"rate": 1}}"#, "camera.rate"),
        (#"{"camera": {"settleSeconds": 10}, "limitSeconds": 11}"#, "camera.settleSeconds"),
    ])
    func aWrongCameraIsNamed(text: String, place: String) {
        do {
            _ = try EyesConfiguration(Array(text.utf8), file: "eyes.json")
            Issue.record("was accepted")
        } catch {
            #expect(error.problems.map(\.place) == [place])
        }
    }

    @Test(arguments: [#"{"camera": 1}"#, #"{"camera": null}"#, #"{"camera": []}"#])
    func whatIsNoCameraIsRefused(text: String) {
        #expect(throws: ConfigurationError.self) {
            try EyesConfiguration(Array(text.utf8), file: "eyes.json")
        }
    }
}

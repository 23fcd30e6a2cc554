import FoundationEssentials
import Testing

@testable import Eyes

@Suite struct CameraChoiceTests {
    @Test func textsAreRead() {
        #expect(CameraChoice("any") == .any)
        #expect(CameraChoice("/dev/video2") == .path("/dev/video2"))
        #expect(
            CameraChoice("usb:046d:0825") == .usb(vendor: 0x046D, product: 0x825, serial: nil)
        )
        #expect(
            CameraChoice("usb:046D:0825:A:1")
                == .usb(vendor: 0x046D, product: 0x825, serial: "A:1")
        )
        let wrong = [
            "", "ANY", "video0", "/etc/passwd", "usb:46d:825", "usb:046d", "usb:046d:0825:",
            "usb:+46d:0825", "usb:046d:08g5", "/dev/\0",
            "/dev/" + String(repeating: "x", count: 300),
        ]
        for text in wrong { #expect(CameraChoice(text) == nil, "\(text)") }
    }

    @Test(arguments: ["any", "/dev/video0", "usb:046d:0825", "usb:0001:00ff:S"])
    func whatIsShownIsReadAgain(text: String) {
        #expect(CameraChoice(text).map { "\($0)" } == text)
    }

    @Test func camerasAreFoundByTheirNumbers() throws {
        let root = FileManager.default.temporaryDirectory.path + "/roost-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(CameraNode.all(root: root).isEmpty)
        try Self.add("video10", "Decoder", root: root)
        try Self.add("video2", "HD Webcam", usb: ("046d", "0825", "A1"), root: root)
        try Self.add("video3", "HD Webcam", index: "1", usb: ("046d", "0825", "A1"), root: root)
        try Self.add("radio0", "Radio", root: root)
        let all = CameraNode.all(root: root)
        #expect(all.map(\.path) == ["/dev/video2", "/dev/video10"])
        let webcam = try #require(all.first)
        #expect(webcam.usb == .init(vendor: 0x046D, product: 0x825, serial: "A1"))
        #expect("\(webcam.choice)" == "usb:046d:0825:A1")
        #expect("\(try #require(all.last).choice)" == "/dev/video10")
        for text in ["any", "usb:046d:0825", "usb:046d:0825:A1", "/dev/video2"] {
            let choice = try #require(CameraChoice(text))
            #expect(CameraNode.first(choice, root: root) == webcam)
        }
        for text in ["usb:046d:0826", "usb:046d:0825:A2", "/dev/video7"] {
            let choice = try #require(CameraChoice(text))
            #expect(CameraNode.first(choice, root: root) == nil)
        }
    }

    /// Makes the folder of a device as in the kernel: links to an interface below its device.
    private static func add(
        _ node: String,
        _ name: String,
        index: String = "0",
        usb: (String, String, String)? = nil,
        root: String
    ) throws {
        let device = "\(root)/sys/devices/\(node)-device"
        let place = "\(device)/interface/video4linux/\(node)"
        let files = FileManager.default
        try files.createDirectory(atPath: place, withIntermediateDirectories: true)
        let list = "\(root)/sys/class/video4linux"
        try files.createDirectory(atPath: list, withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: "\(list)/\(node)", withDestinationPath: place)
        try files.createSymbolicLink(
            atPath: "\(place)/device",
            withDestinationPath: "\(device)/interface"
        )
        var texts = [("\(place)/name", name), ("\(place)/index", index)]
        if let usb {
            texts += [
                ("\(device)/idVendor", usb.0), ("\(device)/idProduct", usb.1),
                ("\(device)/serial", usb.2),
            ]
        }
        for (path, text) in texts {
            try (text + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        }
    }

    @Test func theFormatThatCostsLeastIsTaken() {
        let yuyv = CameraFormat.yuyv.rawValue
        let jpeg = CameraFormat.motionJPEG.rawValue
        #expect(CameraFormat.best([yuyv, jpeg]) == .motionJPEG)
        #expect(CameraFormat.best([1, yuyv]) == .yuyv)
        #expect(CameraFormat.best([1]) == nil)
    }

    @Test func eachTroubleOfAReaderIsKnownByItsExitCode() {
        let codes: [Int32] = [65, 66, 72, 74, 75, 77]
        for code in codes { #expect(CameraTrouble(exitCode: code)?.exitCode == code) }
        #expect(CameraTrouble(exitCode: 71) == nil && CameraTrouble(exitCode: 1) == nil)
        let error = CaptureError.exit(code: 75, CameraSettings.program)
        #expect("\(error)" == "another program has the camera")
    }
}

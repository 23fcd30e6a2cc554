import ControlProtocol
import FileIO
import Glibc
import Provisioning
import TestSupport
import Testing

@testable import ProvisioningIO

@Suite struct WireRunTests {
    private let folder: TestFolder
    private var wanted: String { folder.path("run/wires-wanted") }

    init() throws {
        folder = try TestFolder(isInMemory: true)
        let base = "sys/firmware/devicetree/base"
        for name in ["run", "boot", "sys", "sys/firmware", "sys/firmware/devicetree", base] {
            mkdir(folder.path(name), 0o755)
        }
        mkdir(folder.path("\(base)/onewire-4"), 0o755)
        mkdir(folder.path("boot/overlays"), 0o755)
        let script = Array("if load mmc 0:1 /overlays.txt; then".utf8)
        try Files.replace(folder.path("boot/boot.scr"), with: script, mode: 0o644)
    }

    private var wires: WireRun {
        let boot = BootPartition(folder: folder.path("boot"), lockPath: folder.path("run/lock"))
        return WireRun(boot: boot, root: folder.path)
    }

    private func ask(_ text: String) throws -> (line: String, restarts: Bool) {
        try Files.replace(wanted, with: Array(text.utf8), mode: 0o600)
        return try wires.run(wanted)
    }

    private var state: WireState? {
        Files.text(folder.path(WireState.path)).flatMap {
            try? ControlCodec.message(WireState.self, from: $0)
        }
    }

    @Test func writesOneSectorAndSaysWhatTheBoardHas() throws {
        let done = try ask(#"{"overlays":["w1-gpio-4","dht11-17"],"restarts":true}"#)
        #expect(done.line == "from the next start on: w1-gpio-4, dht11-17" && done.restarts)
        let text = try #require(Files.text(folder.path("boot/overlays.txt")))
        #expect(text.utf8.count == 512 && text.hasPrefix("overlays=w1-gpio-4 dht11-17\n\n"))
        #expect(state == WireState(used: ["w1-gpio-4"], next: ["w1-gpio-4", "dht11-17"]))
        #expect(access(wanted, F_OK) != 0)
        #expect(try ask(#"{"overlays":[]}"#) == ("from the next start on: none", false))
        #expect(wires.named.names.isEmpty && state?.used == ["w1-gpio-4"])
    }

    /// A problem of the boot partition's files is a fault of the station.
    @Test func saysWhichOneTheBoardStartedWithout() throws {
        func problem(_ text: String) throws -> String? {
            let bytes = Array(text.utf8)
            try Files.replace(folder.path("boot/overlays.txt"), with: bytes, mode: 0o644)
            return wires.problems.first?.description
        }
        #expect(try problem("overlays=\n\n\n") == nil)
        #expect(try problem("overlays=w1-gpio-4\n") == nil)
        // Notepad ends its lines with two characters, and U-Boot takes that.
        let both = try problem("overlays=w1-gpio-4 dht11-17\r\n")
        #expect(both?.contains("overlays.txt: the board started without dht11-17. Copy") == true)
        let wrong = try problem("overlays=w1-gpio-4 dht22-5 w1-gpio-40")
        #expect(wrong?.contains("without dht22-5, w1-gpio-40. Write w1-gpio-N") == true)
    }

    /// An update leaves the boot script of an earlier image, which would never read the file.
    @Test func saysThatAnEarlierImagesScriptReadsNone() throws {
        _ = try ask(#"{"overlays":[]}"#)
        #expect(state?.isAble == true)
        try Files.replace(folder.path("boot/boot.scr"), with: Array("booti".utf8), mode: 0o644)
        _ = try ask(#"{"overlays":[]}"#)
        #expect(state?.isAble == false)
    }

    @Test(arguments: [
        (#"{"overlays":["w1-gpio-4","dht11-4"]}"#, "GPIO4 has a sensor already"),
        (#"{"overlays":["w1-gpio-04"]}"#, "no overlay of this name"),
        (#"{"overlays":["w1-gpio-28"]}"#, "no overlay of this name"),
        (#"{"overlays":["w1-gpio-14"]}"#, "no overlay of this name"),
        (#"{"overlays":["dht11-15"]}"#, "no overlay of this name"),
        (#"{"overlays":["../../etc/passwd"]}"#, "no overlay of this name"),
        (#"{"overlays":["dht11-4 panic"]}"#, "no overlay of this name"),
        ("{", "not kept"),
    ])
    func keepsTheOldOnesWhereARequestIsWrong(_ text: String, _ words: String) throws {
        _ = try ask(#"{"overlays":["w1-gpio-4"]}"#)
        let done = try ask(text)
        #expect(done.line.contains(words) && !done.restarts)
        #expect(wires.named.names == ["w1-gpio-4"])
        #expect(state?.problem != nil && access(wanted, F_OK) != 0)
    }

    @Test func everyOverlayHasANodeAndFitsWithOthersIntoTheSector() throws {
        for name in BoardOverlays.all.names {
            #expect(BoardOverlays(text: "overlays=\(name)").problem { _ in true } == nil)
        }
        let longest = (0..<BoardOverlays.countMax).map { "w1-gpio-\(16 + $0)" }
        #expect(try BoardOverlays(checking: longest).sector.count == 512)
        #expect(throws: BoardOverlays.Refusal.self) {
            try BoardOverlays(checking: longest + ["dht11-4"])
        }
    }
}

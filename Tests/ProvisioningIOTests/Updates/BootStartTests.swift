import Glibc
import Provisioning
import Testing

@Suite struct BootStartTests {
    /// `BootStart` says what the script does; a change of one asks for a change of the other.
    @Test func decidesAsTheScriptOfTheCard() throws {
        let text = try #require(Self.read("packaging/image/boot/boot.txt"))
        let lines = Set(text.split(separator: "\n").map { $0.trimming(" ") })
        for line in [
            #"if test "${slot}" != 3; then setenv slot 2; fi"#, "setenv part ${slot}",
            #"if test "${trial}" = 2 || test "${trial}" = 3; then"#,
            #"if test "${tried}" != "${number}"; then"#, "setenv tried ${number}",
            "if fatwrite ${devtype} ${devnum}:1 ${text_at} /tried.txt 0x200; "
                + "then setenv part ${trial}; fi",
            "for one in ${part} ${slot} 2 3; do",
        ] {
            #expect(lines.contains(line), "boot.txt lacks: \(line)")
        }
    }

    private static func read(_ name: String) -> String? {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        guard let file = fopen("/\(root)/\(name)", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test func startsWhatCanBeLoaded() {
        let slots = BootSlots(good: .second, trial: .first, number: "2", tried: "1")
        #expect(BootStart(slots) { _ in true }.root == .first)
        #expect(BootStart(slots) { $0 == .second }.root == .second)
        // Counted as tried, also when it could not be loaded.
        #expect(BootStart(slots) { $0 == .second }.tried == "2")
        #expect(BootStart(slots) { _ in false }.root == nil)
        let readOnly = BootStart(slots, canWrite: false) { _ in true }
        #expect(readOnly.root == .second && readOnly.tried == "1")
        let tried = BootSlots(good: .second, trial: .first, number: "2", tried: "2")
        #expect(BootStart(tried) { _ in true }.root == .second)
        #expect(BootStart(tried) { $0 == .first }.root == .first)
    }
}

extension StringProtocol {
    fileprivate func trimming(_ character: Character) -> String {
        let start = drop { $0 == character }
        return String(start.reversed().drop { $0 == character }.reversed())
    }
}

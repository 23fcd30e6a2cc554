import ControlProtocol
import Core
import FoundationEssentials
import Testing

@testable import Backup

struct BackupFileTests {
    private static let file = BackupFile(
        name: "Balkon",
        station: "a1b2",
        time: "2026-11-29T12:00:00Z",
        leftOut: ["secrets"],
        parts: [
            BackupFile.Part(.station, #"{"settings":"{}"}"#), BackupFile.Part(.courier, "{}"),
        ]
    )

    @Test func aFileIsReadAsItWasWritten() throws {
        #expect(try BackupFile(Self.file.bytes(passphrase: nil), passphrase: nil) == Self.file)
        let sealed = try Self.file.bytes(passphrase: "correct horse")
        #expect(try BackupFile(sealed, passphrase: "correct horse") == Self.file)
    }

    /// Files of a version that is out there: each later one reads them.
    @Test(arguments: ["format-1", "format-1-sealed"])
    func aFileOfAnEarlierVersionIsRead(_ name: String) throws {
        let passphrase = name.hasSuffix("sealed") ? "correct horse" : nil
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "Fixtures/\(name).backup"))
        let file = try BackupFile(Array(data), passphrase: passphrase)
        #expect(file.format == 1)
        #expect(file.name == "Klasse 3b – Süd")
        #expect(file.content(of: .courier)?.contains("influx2") == true)
        #expect((file.content(of: .dashboard) != nil) == (passphrase != nil))
    }

    /// A damaged file is refused, or nothing of what it says differs.
    @Test func aThousandDamagedFilesAreRefused() throws {
        let whole = try Self.file.bytes(passphrase: nil)
        var random = SplitMix64(seed: 58)
        var refused = 0
        for number in 0..<1_000 {
            var bytes = whole
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch number % 3 {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.removeSubrange(place...)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
            do throws(ControlFailure) {
                #expect(try BackupFile(bytes, passphrase: nil) == Self.file)
            } catch { refused += 1 }
        }
        #expect(refused > 950)
    }

    /// Bytes of an encrypted file, each changed: not one is taken.
    @Test func everyByteOfAnEncryptedFileCounts() throws {
        let whole = try Self.file.bytes(passphrase: "correct horse")
        for place in stride(from: 0, to: whole.count, by: 23) {
            var bytes = whole
            bytes[place] ^= 0x10
            #expect(throws: ControlFailure.self, "byte \(place)") {
                try BackupFile(bytes, passphrase: "correct horse")
            }
        }
    }

    @Test func aLaterFormatIsRefusedWithASentence() throws {
        let text = #"{"format": 2, "contents": "of another kind"}"#
        let error = try #require(throws: ControlFailure.self) {
            try BackupFile(Array(text.utf8), passphrase: nil)
        }
        #expect(error.code == .wrongVersion)
        #expect(error.message.contains("format 2"))
    }
}

import Core
import Testing

@testable import Backup

struct AgeFileTests {
    private static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072]

    @Test(arguments: sizes) func whatIsSealedIsOpened(_ size: Int) throws {
        let plain = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try #require(AgeFile.seal(plain, passphrase: "correct horse"))
        #expect(try AgeFile.open(file, passphrase: "correct horse") == plain)
    }

    @Test func faultsAreTold() throws {
        let file = try #require(AgeFile.seal([1, 2, 3], passphrase: "correct horse"))
        #expect(throws: AgeFile.Fault.wrongPassphrase) {
            try AgeFile.open(file, passphrase: "wrong")
        }
        #expect(throws: AgeFile.Fault.foreign) { try AgeFile.open([1, 2], passphrase: "x") }
        #expect(throws: AgeFile.Fault.tooCostly(logCost: AgeFile.logCost)) {
            try AgeFile.open(file, passphrase: "correct horse", logCostMax: 14)
        }
        #expect(throws: AgeFile.Fault.damaged) {
            try AgeFile.open(Array(file.dropLast()), passphrase: "correct horse")
        }
    }
}

import Testing

@testable import Eyes

@Suite struct CaptureProgramTests {
    private static let picture = #"printf '\377\330\377\340abc\377\331'"#

    private static func run(_ script: String, limit: Duration = .seconds(20)) throws -> [UInt8] {
        try CaptureProgram(["/bin/sh", "-c", script], limit: limit, byteMax: 4_096).run()
    }

    @Test func whatTheProgramWritesIsThePicture() throws {
        #expect(
            try Self.run(Self.picture) == [
                0xFF, 0xD8, 0xFF, 0xE0, 0x61, 0x62, 0x63, 0xFF, 0xD9,
            ]
        )
    }

    @Test func aProgramThatHangsIsKilledWithItsChildren() throws {
        let limit = Duration.milliseconds(200)
        #expect(throws: CaptureError.late(limit)) {
            try Self.run("sleep 3600 & \(Self.picture); wait", limit: limit)
        }
        #expect(throws: CaptureError.late(limit)) {
            try Self.run("exec >&-; sleep 3600", limit: limit)
        }
    }

    @Test func eachFaultHasItsName() throws {
        #expect(throws: CaptureError.exit(code: 3, "/bin/sh")) {
            try Self.run("\(Self.picture); exit 3")
        }
        #expect(throws: CaptureError.exit(code: 137, "/bin/sh")) { try Self.run("kill -9 $$") }
        #expect(throws: CaptureError.noPicture(byteCount: 7)) { try Self.run("printf garbage") }
        #expect(throws: CaptureError.noPicture(byteCount: 0)) { try Self.run("true") }
        #expect(throws: CaptureError.tooLarge(byteMax: 4_096)) { try Self.run("cat /dev/zero") }
        #expect(throws: CaptureError.exit(code: 127, "/no/such")) {
            try CaptureProgram(["/no/such"], limit: .seconds(20), byteMax: 10).run()
        }
    }
}

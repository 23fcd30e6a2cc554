import HardwareIO
import Testing

@testable import Devices

@Suite struct SDS011CommandTests {
    @Test func writesEveryListedCommand() throws {
        let frames = try SDS011FrameFixture.load().fromHost
        #expect(frames.count == 17)
        for frame in frames {
            let bytes = try frame.bytes
            let command = try #require(SDS011Command(frame: bytes[...]), "\(frame.name)")
            #expect(command.bytes(to: SDS011DeviceID(bytes[15], bytes[16])) == bytes)
        }
    }

    @Test(arguments: [
        ("get report mode (broadcast)", "reply: active mode", true),
        ("get report mode (broadcast)", "reply: set query mode", false),
        ("set query mode (A160)", "reply: set query mode", true),
        ("set query mode (A160)", "reply: query mode", false),
        ("set active mode (broadcast)", "reply: set query mode", false),
        ("query data (A160)", "reply: data 123.6 / 261.8", true),
        ("query data (A160)", "data 24.2 / 38.2", false),
        ("query data (broadcast)", "data 24.2 / 38.2", true),
        ("query data (broadcast)", "reply: working", false),
        ("set device id A001 (A160)", "reply: set device id A001", true),
        ("sleep (A160)", "reply: sleeping", true),
        ("sleep (A160)", "reply: working", false),
        ("sleep (A160)", "reply: get = sleeping", false),
        ("sleep (A160)", "reply: data 123.6 / 261.8", false),
        ("work (A160)", "reply: working", true),
        ("work (A160)", "reply to second wake", false),
        ("work (broadcast)", "reply to second wake", true),
        ("get sleep/work (A160)", "reply: get = working", true),
        ("get sleep/work (A160)", "reply: get = sleeping", true),
        ("get sleep/work (A160)", "reply: working", false),
        ("firmware (A160)", "reply: firmware 15-07-10", true),
        ("firmware (A160)", "firmware 18-11-16", false),
        ("firmware (broadcast)", "firmware 18-11-16", true),
        ("get working period (A160)", "reply: period 2 min", true),
        ("set working period 1 min (A160)", "reply: set period 1", true),
        ("set working period 1 min (A160)", "reply: set period 0", false),
        ("set working period 0 (A160)", "reply: set period 0", true),
    ])
    func takesOnlyItsOwnAnswer(command: String, answer: String, isAnswered: Bool) throws {
        let fixture = try SDS011FrameFixture.load()
        let asked = try #require(fixture.frames.first { $0.name == command }).bytes
        let answered = try #require(fixture.frames.first { $0.name == answer }).bytes
        var decoder = SDS011Decoder()
        let frame = try #require(decoder.decode(answered).first).get()
        let id = SDS011DeviceID(asked[15], asked[16])
        let parsed = try #require(SDS011Command(frame: asked[...]))
        #expect(parsed.isAnswered(by: frame, to: id) == isAnswered)
    }

    @Test(arguments: [0, 1, 2, 17, 18])
    func isNotReadFromAFrameWithAWrongByte(at index: Int) {
        var bytes = SDS011Command.setState(.sleep).bytes()
        bytes[index] ^= 0x10
        #expect(SDS011Command(frame: bytes[...]) == nil)
    }

    @Test(arguments: [(0x02, 2), (0x06, 2), (0x08, 31)] as [(UInt8, UInt8)])
    func isNotReadWithAValueOutOfRange(code: UInt8, value: UInt8) {
        var bytes = SDS011Command.query.bytes()
        bytes[2] = code
        bytes[3] = 1
        bytes[4] = value
        bytes[17] = bytes[2...16].reduce(0, &+)
        #expect(SDS011Command(frame: bytes[...]) == nil)
    }
}

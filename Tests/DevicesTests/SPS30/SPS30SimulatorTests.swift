import Testing

@testable import Core
@testable import Devices

@Suite struct SPS30SimulatorTests {
    private var part = SPS30Simulator(seed: 7)

    /// The answer to a command: its state and data; nil for silence.
    private mutating func say(
        _ command: UInt8,
        _ data: [UInt8] = [],
        at milliseconds: Int = 0
    ) -> (state: UInt8, data: [UInt8])? {
        let frame = SPS30Dialect.frame(command, data)
        let said = part.receive(frame, at: .boot.advanced(by: .milliseconds(milliseconds)))
        guard said.count > 2,
            let content = SPS30Dialect.unstuffed(Array(said[1..<(said.count - 1)]))
        else { return nil }
        #expect(content[1] == command && Int(content[3]) == content.count - 5)
        return (content[2], Array(content[4..<(content.count - 1)]))
    }

    @Test mutating func saysWhatItIs() throws {
        let product = try #require(say(0xD0, [0]))
        #expect(product.state == 0 && product.data == Array("00080000".utf8) + [0])
        let serial = try #require(say(0xD0, [3]))
        #expect(serial.data == Array(part.serial.utf8) + [0])
        #expect(say(0xD0, [1])?.state == 0x04 && say(0xD0)?.state == 0x01)
        #expect(say(0xD1)?.data == [2, 2, 0, 7, 0, 2, 0])
        let status = try #require(say(0xD2, [0]))
        #expect(status.state == 0 && status.data == [0, 0, 0, 0, 0])
        #expect(say(0x77)?.state == 0x02)
    }

    @Test mutating func keepsItsCleaningInterval() throws {
        #expect(say(0x80, [0])?.data == [0x00, 0x09, 0x3A, 0x80])
        let set = try #require(say(0x80, [0, 0, 1, 0x51, 0x80]))
        #expect(set.state == 0 && set.data.isEmpty)
        #expect(say(0xD3)?.state == 0)
        #expect(part.cleaningInterval == 86_400)
        #expect(say(0x80, [1])?.state == 0x04 && say(0x80, [0, 1])?.state == 0x01)
    }

    @Test mutating func cleansOnlyWhileItMeasures() throws {
        #expect(say(0x56)?.state == 0x43)
        #expect(say(0x00, [1, 3])?.state == 0 && say(0x56, at: 1_000)?.state == 0)
        #expect(say(0x03, at: 5_000)?.data.isEmpty == true)
        #expect(say(0x03, at: 11_000)?.data.count == 40)
    }

    @Test mutating func sendsWholeNumbersWhenItIsAskedFor() throws {
        var floats = part
        (part, floats) = (floats, part)
        #expect(say(0x00, [1, 5])?.state == 0)
        let whole = try #require(say(0x03, at: 1_000)).data
        #expect(whole.count == 20)
        part = floats
        #expect(say(0x00, [1, 3])?.state == 0)
        let data = try #require(say(0x03, at: 1_000)).data
        for index in 0..<10 {
            let bits = data[(4 * index)..<(4 * index + 4)].reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
            // The size is in nm there, and in µm here.
            let value = Float(bitPattern: bits) * (index == 9 ? 1_000 : 1)
            let word = UInt16(whole[2 * index]) << 8 | UInt16(whole[2 * index + 1])
            #expect(word == UInt16(value.rounded()))
        }
    }

    @Test mutating func refusesAFormatThatThereIsNot() {
        #expect(say(0x00, [1, 4])?.state == 0x04 && say(0x00, [1])?.state == 0x01)
        #expect(!part.isMeasuring)
    }

    @Test mutating func sleepsUntilItIsWokenTwice() {
        #expect(say(0x00, [1, 3])?.state == 0 && say(0x10)?.state == 0x43)
        #expect(say(0x01)?.state == 0 && say(0x10)?.state == 0)
        #expect(say(0xD1, at: 1_000) == nil && say(0xD1, at: 1_050) == nil)
        // The first goes into a line that is off, the second comes too late.
        #expect(say(0x11, at: 2_000) == nil && say(0x11, at: 2_200) == nil)
        #expect(say(0x11, at: 2_250)?.state == 0 && say(0xD1, at: 2_300)?.state == 0)
    }

    @Test mutating func wakesByAByteAndAWakeUp() {
        #expect(say(0x10)?.state == 0)
        #expect(part.receive([0xFF], at: .boot).isEmpty)
        #expect(say(0x11, at: 50)?.state == 0 && !part.isAsleep)
    }
}

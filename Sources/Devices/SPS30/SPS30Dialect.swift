import Core
import HardwareIO

/// Sensirion SPS30 dust sensor on its serial line (SHDLC, 115 200 baud).
///
/// Silent until asked. A frame is `7E`, address, command, state, length, data, check byte, `7E`;
/// the check byte is the inverted sum of what is between the flags before stuffing; `7E`, `7D`,
/// `11` and `13` within are sent as `7D` and the byte with bit 5 flipped. Values are big-endian
/// floats, kept here to two decimals, rounded to nearest, ties to even.
///
/// - Source: Sensirion, *Datasheet SPS30*, version 1.0, sections 5.1 to 5.3.
package struct SPS30Dialect: SensorDialect {
    package let quantities: [Quantity] =
        [Quantity.pm1, .pm25, .pm4, .pm10].map {
            Quantity(name: $0.name, unit: $0.unit, decimals: 2)
        }
        + ["n05", "n1", "n25", "n4", "n10"].map { Quantity(name: $0, unit: "1/cm³", decimals: 2) }
        + [Quantity(name: "size", unit: "µm", decimals: 2)]
    package let rhythm = SensorRhythm.answers(atMostEvery: .seconds(1))
    private var pending: [UInt8] = []  // What has come since a flag, stuffed; at most `limit`.
    private var isInside = false
    private var serial: String?

    static let flag: UInt8 = 0x7E
    static let escape: UInt8 = 0x7D
    /// Bytes between two flags: 4 of head, 40 of data, a check byte, all of them stuffed.
    static let limit = 96
    static let valueCount = 10

    package init() {}

    /// The whole answer to a read when nothing has begun.
    package var missingByteCount: Int { isInside && !pending.isEmpty ? 1 : 7 }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if byte == Self.flag {
                // A flag that ends one frame may begin the next, should one byte be lost.
                if isInside, !pending.isEmpty { finish(body) }
                isInside = true
                pending.removeAll(keepingCapacity: true)
            } else if isInside {
                if pending.count < Self.limit {
                    pending.append(byte)
                } else {
                    isInside = false
                    pending.removeAll(keepingCapacity: true)
                    body(.rejected("too long"))
                }
            }
        }
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        switch act {
        case .wake:
            [SensorCommand("start measuring", Self.frame(0x00, [0x01, 0x03]), reply: "start")]
        case .measure: [SensorCommand("read values", Self.frame(0x03, []), isReadOnly: true)]
        case .rest: [SensorCommand("stop measuring", Self.frame(0x01, []), reply: "stop")]
        }
    }

    package var questions: [SensorCommand] {
        let bytes = Self.frame(0xD0, [0x03])
        return [SensorCommand("read serial number", bytes, reply: "serial", isReadOnly: true)]
    }

    /// A frame to the part, stuffed.
    static func frame(_ command: UInt8, _ data: [UInt8]) -> [UInt8] {
        stuffed([0x00, command, UInt8(data.count)] + data)
    }

    static func stuffed(_ content: [UInt8]) -> [UInt8] {
        let check = ~content.reduce(0, &+)
        var bytes = [flag]
        for byte in content + [check] {
            if [flag, escape, 0x11, 0x13].contains(byte) {
                bytes += [escape, byte ^ 0x20]
            } else {
                bytes.append(byte)
            }
        }
        return bytes + [flag]
    }

    /// Removes the byte stuffing between two flags; nil when an escape is invalid.
    static func unstuffed(_ bytes: [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                guard [0x5E, 0x5D, 0x31, 0x33].contains(byte) else { return nil }
                content.append(byte ^ 0x20)
                isEscaped = false
            } else if byte == escape {
                isEscaped = true
            } else {
                content.append(byte)
            }
        }
        return isEscaped ? nil : content
    }

    private mutating func finish(_ body: (SensorUtterance) -> Void) {
        guard let content = Self.unstuffed(pending), content.count >= 5 else {
            return body(.rejected("not a frame"))
        }
        guard ~content.dropLast().reduce(0, &+) == content.last else {
            return body(.rejected("checksum"))
        }
        let (command, state, data) = (content[1], content[2], content[4..<(content.count - 1)])
        guard content[0] == 0, data.count == Int(content[3]) else {
            return body(.rejected("length"))
        }
        // Bit 7 is a fault of the part at any time; the rest is about this command.
        let error = state & 0x7F
        var facts = state & 0x80 == 0 ? [] : [Fact("deviceError", "reported")]
        if error != 0 { facts.append(Fact("state", "\(error)")) }
        switch command {
        case 0x00: body(.reply("start", id: serial, facts: facts))
        case 0x01: body(.reply("stop", id: serial, facts: facts))
        case 0x03: takeValues(data, facts, body)
        case 0xD0:
            let text = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
            guard error == 0, !text.isEmpty, text.utf8.allSatisfy(Self.isPlain) else {
                return body(.rejected("serial number"))
            }
            serial = text
            body(.reply("serial", id: text, facts: facts))
        default: body(.rejected("command \(command)"))
        }
    }

    private func takeValues(
        _ data: ArraySlice<UInt8>,
        _ facts: [Fact],
        _ body: (SensorUtterance) -> Void
    ) {
        // Nothing new since the last read, or not measuring: an answer without values.
        guard data.count == 4 * Self.valueCount else {
            guard data.isEmpty else { return body(.rejected("length")) }
            return body(.reply("no values", id: serial, facts: facts))
        }
        var outcomes: [Outcome] = []
        for index in 0..<Self.valueCount {
            let start = data.startIndex + 4 * index
            let bits = data[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let value = (Double(Float(bitPattern: bits)) * 100).rounded(.toNearestOrEven)
            guard value.isFinite, (0...1e9).contains(value) else {
                return body(.rejected("not a value"))
            }
            outcomes.append(.value(FixedPoint(Int64(value), decimals: 2)))
        }
        body(.measurement(outcomes, id: serial))
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}

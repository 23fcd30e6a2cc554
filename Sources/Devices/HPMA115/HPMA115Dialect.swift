import Core
import HardwareIO

/// Honeywell HPMA115S0 and HPMA115C0 dust sensors.
///
/// Unasked they send one frame a second: `42 4D`, length and words like a Plantower. In the S0 the
/// words 2 and 3 are PM2.5 and PM10, in the C0 words 1 to 4 PM1, PM2.5, PM4 and PM10. To a read the
/// S0 answers `40 05 04` with two words, the C0 `40 0D 04` with four. The check byte of the short
/// frames makes the sum of the whole zero modulo 256.
///
/// A long frame of nothing but zeros may be a Plantower's whose fan begins to turn: such frames
/// have no value until another has come.
///
/// - Source: Honeywell, *HPM Series Particulate Matter Sensors* datasheet 32322550, tables 4 to 7;
///   `avaldebe/PyPMS:src/pms/sensors/honeywell/`; the capture HPMA115C0.hexdump.
package struct HPMA115Dialect: SensorDialect {
    package let quantities: [Quantity] = [Quantity.pm1, .pm25, .pm4, .pm10].map {
        Quantity(name: $0.name, unit: $0.unit, decimals: 0)
    }
    package let rhythm = SensorRhythm.streams(every: .seconds(1))
    private var scanner = FrameScanner(shortest: 8, limit: 32)
    /// Whether a frame has come that no Plantower would send.
    private var isKnown = false

    package init() {}

    package var missingByteCount: Int { scanner.missingByteCount }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        var isKnown = isKnown
        scanner.scan(
            bytes,
            heads: [Self.shortHead, Self.longHead],
            classify: Self.classify
        ) { result in
            switch result {
            case .success(let frame):
                isKnown = isKnown || frame.count < Self.longFrame || Self.hasValue(frame)
                body(isKnown ? Self.utterance(frame) : Self.warmingUp)
            case .failure(let rejection): body(.rejected(rejection.words))
            }
        }
        self.isKnown = isKnown
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        switch act {
        case .wake:
            // The part acknowledges each with A5 A5; the stream that follows is the proof.
            [
                SensorCommand("start measuring", [0x68, 0x01, 0x01, 0x96], isAnswered: false),
                SensorCommand("send unasked", [0x68, 0x01, 0x40, 0x57], isAnswered: false),
            ]
        case .measure: []
        case .rest: [SensorCommand("stop measuring", [0x68, 0x01, 0x02, 0x95], isAnswered: false)]
        }
    }

    package var questions: [SensorCommand] {
        [SensorCommand("read values", [0x68, 0x01, 0x04, 0x93], isReadOnly: true)]
    }

    private static let shortHead: UInt8 = 0x40
    private static let longHead: UInt8 = 0x42
    /// Length of a short frame by its second byte.
    private static let shortFrames: [UInt8: Int] = [0x05: 8, 0x0D: 16]
    private static let longFrame = 32

    private static func classify(_ bytes: ArraySlice<UInt8>) -> FrameScanner.Verdict {
        let start = bytes.startIndex
        guard bytes.count >= 2 else { return .needs(8) }
        if bytes[start] == longHead {
            guard bytes[start + 1] == 0x4D else { return .bad("42 without 4D") }
            guard bytes.count >= 4 else { return .needs(longFrame) }
            let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
            guard length == longFrame - 4 else { return .bad("a length of \(length)") }
            guard bytes.count >= longFrame else { return .needs(longFrame) }
            let sum = bytes.prefix(longFrame - 2).reduce(0) { $0 + Int($1) }
            guard sum == word(bytes, 30) else { return .bad("checksum") }
            // A Plantower fills the words that a Honeywell reserves.
            guard (4..<13).allSatisfy({ word(bytes, 4 + 2 * $0) == 0 }) else {
                return .bad("another maker's frame")
            }
            return .frame(byteCount: longFrame)
        }
        guard let count = shortFrames[bytes[start + 1]] else { return .bad("40 without a length") }
        guard bytes.count >= 3 else { return .needs(count) }
        guard bytes[start + 2] == 0x04 else { return .bad("not an answer to a read") }
        guard bytes.count >= count else { return .needs(count) }
        guard bytes.prefix(count).reduce(0, &+) == 0 else { return .bad("checksum") }
        return .frame(byteCount: count)
    }

    private static let warmingUp: SensorUtterance = {
        let absent = Outcome.noData(.notMeasured)
        return .measurement([absent, .noData(.warmingUp), absent, .noData(.warmingUp)], id: nil)
    }()

    private static func hasValue(_ longFrame: ArraySlice<UInt8>) -> Bool {
        word(longFrame, 6) != 0 || word(longFrame, 8) != 0
    }

    private static func utterance(_ frame: ArraySlice<UInt8>) -> SensorUtterance {
        func value(_ offset: Int) -> Outcome {
            .value(FixedPoint(Int64(word(frame, offset)), decimals: 0))
        }
        // A quantity that a variant does not measure is absent, never zero.
        let absent = Outcome.noData(.notMeasured)
        return switch frame.count {
        case 8: .measurement([absent, value(3), absent, value(5)], id: nil)
        case 16: .measurement([value(3), value(5), value(7), value(9)], id: nil)
        // PM10 of a C0, which an S0 has before.
        case _ where word(frame, 10) != 0:
            .measurement([value(4), value(6), value(8), value(10)], id: nil)
        default: .measurement([absent, value(6), absent, value(8)], id: nil)
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> Int {
        let index = bytes.startIndex + offset
        return Int(bytes[index]) << 8 | Int(bytes[index + 1])
    }
}

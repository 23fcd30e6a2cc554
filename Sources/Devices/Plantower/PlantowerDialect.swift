import HardwareIO
import Readings

/// How the Plantower PMSx003 family talks, whichever member it is.
///
/// Masses are those for air (words 4…6), not those for the factory's particles (words 1…3). Counts
/// are of particles above a size in 0.1 L. What a member does not measure is `notMeasured`.
package struct PlantowerDialect: SensorDialect {
    private static let sizes = ["n03", "n05", "n1", "n25", "n5", "n10"]
    /// Words 3…5 of a frame, 6…11, and 12…14 of the longest.
    static let allQuantities: [Quantity] =
        ["pm1", "pm25", "pm10"].map { Quantity(name: $0, unit: "µg/m³", decimals: 0) }
        + sizes.map { Quantity(name: $0, unit: "1/0.1l", decimals: 0) }
        + [
            Quantity(name: "formaldehyde", unit: "µg/m³", decimals: 0),
            Quantity(name: "temperature", unit: "°C", decimals: 1),
            Quantity(name: "humidity", unit: "%", decimals: 1),
        ]

    package var quantities: [Quantity] { Self.allQuantities }
    /// The longer of the two: when the air changes it speaks every 0.2 to 0.8 s.
    ///
    /// - Source: data manual V2.5, *Output result*.
    package let rhythm = SensorRhythm.streams(every: .milliseconds(2_300))
    package let fastest: Duration = .milliseconds(200)

    private var pending: [UInt8] = []  // Empty, or the start of one frame: at most 39 bytes.

    package init() {}

    package var missingByteCount: Int {
        let length = pending.count >= 4 ? Int(pending[3]) + 4 : PlantowerFrame.shortest
        return max(1, length - pending.count)
    }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if pending.isEmpty, byte != PlantowerFrame.head[0] { continue }
            pending.append(byte)
            settle(body)
        }
    }

    /// Takes frames off the start of what is pending; a bad one costs one byte.
    private mutating func settle(_ body: (SensorUtterance) -> Void) {
        while let verdict = Self.verdict(on: pending) {
            body(verdict)
            if case .rejected = verdict {
                pending.removeFirst()
                while let first = pending.first, first != PlantowerFrame.head[0] {
                    pending.removeFirst()
                }
            } else {
                pending.removeAll(keepingCapacity: true)
            }
        }
    }

    /// What the start of a frame says; nil while it may still become one.
    private static func verdict(on bytes: [UInt8]) -> SensorUtterance? {
        if bytes.count > 1, bytes[1] != PlantowerFrame.head[1] { return .rejected("byte 1") }
        if bytes.count > 2, bytes[2] != 0 { return .rejected("length") }
        guard bytes.count > 3 else { return nil }
        guard PlantowerFrame.lengths.contains(bytes[3]) else { return .rejected("length") }
        let count = Int(bytes[3]) + 4
        guard bytes.count >= count else { return nil }
        let sum = UInt16(bytes[count - 2]) << 8 | UInt16(bytes[count - 1])
        guard sum == PlantowerFrame.checksum(bytes[..<(count - 2)]) else {
            return .rejected("checksum")
        }
        if count == PlantowerFrame.shortest {
            return .reply(name(of: bytes[4], bytes[5]), id: nil, facts: [])
        }
        let payload = bytes[4..<(count - 2)]
        // A Honeywell's frame has this length and nothing where the masses for air are.
        if payload[4..<10].contains(where: { $0 != 0 }), payload[10...].allSatisfy({ $0 == 0 }) {
            return .rejected("another maker's frame")
        }
        return .measurement(outcomes(payload), id: nil)
    }

    /// A reply repeats the command and its value.
    private static func name(of code: UInt8, _ value: UInt8) -> String { "\(code) \(value)" }

    private static func outcomes(_ payload: ArraySlice<UInt8>) -> [Outcome] {
        // Nothing at all, not even a version: the fan has only begun to turn.
        if payload.allSatisfy({ $0 == 0 }) {
            return allQuantities.map { _ in .noData(.warmingUp) }
        }
        let words = stride(from: payload.startIndex, to: payload.endIndex, by: 2).map {
            UInt16(payload[$0]) << 8 | UInt16(payload[$0 + 1])
        }
        // A frame of 24 bytes has nothing known behind the masses.
        let measured =
            switch words.count {
            case 17: 12
            case 13: 9
            default: 3
            }
        return allQuantities.enumerated().map { index, quantity in
            guard index < measured else { return .noData(.notMeasured) }
            let word = words[index + 3]
            let value =
                quantity.name == "temperature"
                ? Int64(Int16(bitPattern: word)) : Int64(word)
            return .value(FixedPoint(value, decimals: quantity.decimals))
        }
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        switch act {
        case .wake:
            // No document says that a wake is answered; measurements that come are.
            [
                SensorCommand("wake", PlantowerCommand.wake.bytes, isAnswered: false),
                SensorCommand("stream", PlantowerCommand.active.bytes, isAnswered: false),
            ]
        case .measure: [Self.read]
        case .rest:
            [
                SensorCommand(
                    "sleep",
                    PlantowerCommand.sleep.bytes,
                    reply: Self.name(of: PlantowerCommand.sleep.code, 0)
                )
            ]
        }
    }

    private static let read = SensorCommand(
        "read values",
        PlantowerCommand.read.bytes,
        isReadOnly: true
    )

    package var questions: [SensorCommand] { [Self.read] }
}

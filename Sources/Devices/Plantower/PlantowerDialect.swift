import Core
import HardwareIO

/// How the Plantower PMSx003 family talks, whichever member it is.
///
/// Masses are those for air (words 4…6), not those for the factory's particles (words 1…3). Counts
/// are of particles above a size in 0.1 L.
///
/// Without a variant a frame is read by its length, and what such a member does not measure is
/// `notMeasured`. A PMS5003T and a PMS5003 have frames of one length, so counts that no air can
/// have are marked inconsistent then.
package struct PlantowerDialect: SensorDialect {
    /// The member that the profile names; frames of another length are not its own then.
    private let variant: PlantowerVariant?
    package let quantities: [Quantity]
    /// The longer of the two: when the air changes it speaks every 0.2 to 0.8 s.
    ///
    /// - Source: data manual V2.5, *Output result*.
    package let rhythm = SensorRhythm.streams(every: .milliseconds(2_300))
    package let fastest: Duration = .milliseconds(200)

    private var pending: [UInt8] = []  // Empty, or the start of one frame: at most 39 bytes.

    /// A dialect of one member, or of whichever has frames of a length.
    package init(_ variant: PlantowerVariant? = nil) {
        self.variant = variant
        quantities = (variant ?? .pms5003ST).fields.map(Self.quantity)
    }

    private static func quantity(_ field: String) -> Quantity {
        switch field {
        case "temperature": Quantity(name: field, unit: "°C", decimals: 1)
        case "humidity": Quantity(name: field, unit: "%", decimals: 1)
        case _ where field.hasPrefix("n"): Quantity(name: field, unit: "1/0.1l", decimals: 0)
        default: Quantity(name: field, unit: "µg/m³", decimals: 0)
        }
    }

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

    /// Decodes and removes frames from the start of the pending bytes; a bad one costs one byte.
    private mutating func settle(_ body: (SensorUtterance) -> Void) {
        while let verdict = verdict(on: pending) {
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

    /// Rejection that the start of a frame deserves; nil while it may still become a frame.
    private func verdict(on bytes: [UInt8]) -> SensorUtterance? {
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
            return .reply(Self.name(of: bytes[4], bytes[5]), id: nil, facts: [])
        }
        if let variant, variant.byteCount != count {
            let own = "a \(variant.rawValue) sends \(variant.byteCount)"
            return .rejected("a frame of \(count) bytes, and \(own)")
        }
        let payload = bytes[4..<(count - 2)]
        // A Honeywell's frame has this length, three or four masses and nothing behind them.
        if payload[4..<12].contains(where: { $0 != 0 }), payload[12...].allSatisfy({ $0 == 0 }) {
            return .rejected("another maker's frame")
        }
        return .measurement(outcomes(payload), id: nil)
    }

    /// A reply repeats the command and its value.
    private static func name(of code: UInt8, _ value: UInt8) -> String { "\(code) \(value)" }

    private func outcomes(_ payload: ArraySlice<UInt8>) -> [Outcome] {
        // Nothing at all, not even a version: the fan has only begun to turn.
        if payload.allSatisfy({ $0 == 0 }) { return quantities.map { _ in .noData(.warmingUp) } }
        let words = stride(from: payload.startIndex, to: payload.endIndex, by: 2).map {
            UInt16(payload[$0]) << 8 | UInt16(payload[$0 + 1])
        }
        let measured = (variant ?? PlantowerVariant(wordCount: words.count)).fields.count
        let flags: Quality = variant == nil && !Self.areCounts(words) ? .inconsistent : []
        return quantities.enumerated().map { index, quantity in
            guard index < measured else { return .noData(.notMeasured) }
            let word = words[index + 3]
            let value =
                quantity.name == "temperature"
                ? Int64(Int16(bitPattern: word)) : Int64(word)
            let isLarge = quantity.name == "n5" || quantity.name == "n10"
            return .value(
                FixedPoint(value, decimals: quantity.decimals),
                isLarge ? flags : []
            )
        }
    }

    /// Whether the words where a PMS5003 counts its largest particles can be that: those above a
    /// size contain those above the next.
    private static func areCounts(_ words: [UInt16]) -> Bool {
        words.count < 12 || words[9] >= words[10] && words[10] >= words[11]
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        switch act {
        case .wake:
            // No document mentions an answer to a wake; measurements that arrive are the answer.
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

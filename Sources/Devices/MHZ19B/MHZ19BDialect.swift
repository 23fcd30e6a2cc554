import Core
import HardwareIO

/// Winsen MH-Z19B carbon dioxide sensor on its serial line.
///
/// Silent until asked; a reply is nine bytes, `FF 86 hi lo tt …`, the last of them the negated sum
/// of the seven before it. The temperature byte is not in the maker's document and is left out.
///
/// - Source: Winsen, *MH-Z19B User's Manual* V1.6, section on serial communication.
package struct MHZ19BDialect: SensorDialect {
    package let quantities = [Quantity.co2]
    /// The part's own period is about 5 s; asked more often it repeats itself.
    package let rhythm = SensorRhythm.answers(atMostEvery: .seconds(5))
    private var scanner = FrameScanner(shortest: byteCount, limit: byteCount)

    static let byteCount = 9
    static let head: UInt8 = 0xFF
    static let readMark: UInt8 = 0x86

    package init() {}

    package var missingByteCount: Int { scanner.missingByteCount }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        scanner.scan(bytes, heads: [Self.head], classify: Self.classify) { result in
            switch result {
            case .success(let frame):
                let start = frame.startIndex
                let value = Int64(frame[start + 2]) << 8 | Int64(frame[start + 3])
                body(.measurement([.value(FixedPoint(value, decimals: 0))], id: nil))
            case .failure(let rejection): body(.rejected(rejection.words))
            }
        }
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        act == .measure ? questions : []  // Its heater is always on: there is no rest.
    }

    package var questions: [SensorCommand] {
        [SensorCommand("read CO₂", Self.readCommand, isReadOnly: true)]
    }

    static let readCommand: [UInt8] = [0xFF, 0x01, 0x86, 0, 0, 0, 0, 0, 0x79]

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 { 0 &- bytes.reduce(0, &+) }

    private static func classify(_ bytes: ArraySlice<UInt8>) -> FrameScanner.Verdict {
        let start = bytes.startIndex
        guard bytes.count >= 2 else { return .needs(byteCount) }
        guard bytes[start + 1] == readMark else { return .bad("FF without 86") }
        guard bytes.count >= byteCount else { return .needs(byteCount) }
        let sum = checksum(bytes[(start + 1)..<(start + 8)])
        guard sum == bytes[start + 8] else { return .bad("checksum") }
        return .frame(byteCount: byteCount)
    }
}

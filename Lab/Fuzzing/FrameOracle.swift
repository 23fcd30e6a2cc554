import Core
import Devices

/// The values of every good frame that begins anywhere in a stream, read by brute force.
///
/// Written apart from the dialects: no state, no resynchronising, plain arithmetic. A value that a
/// dialect gives and none of these frames has is a value from a bad frame.
struct FrameOracle {
    /// Values in the order of the dialect's quantities; nil where nothing is said.
    package typealias Values = [Double?]

    private let driver: String

    init(driver: String) { self.driver = driver }

    /// Returns a fault: a measurement in no good frame, or out of order; nil without one.
    func complaint(about utterances: [SensorUtterance], in stream: [UInt8]) -> String? {
        var frames = good(in: stream)[...]
        for case .measurement(let outcomes, _) in utterances {
            let values = outcomes.map { $0.value?.doubleValue }
            guard values.contains(where: { $0 != nil }) else { continue }
            guard let place = frames.firstIndex(where: { Self.fits(values, $0) }) else {
                return "\(values.map { $0.map { "\($0)" } ?? "-" }) is in no good frame"
            }
            frames = frames[(place + 1)...]
        }
        return nil
    }

    private static func fits(_ values: Values, _ frame: Values) -> Bool {
        values.count == frame.count
            && zip(values, frame).allSatisfy { value, known in
                guard let value else { return true }
                return known.map { abs($0 - value) < 1e-6 } ?? false
            }
    }

    func good(in stream: [UInt8]) -> [Values] {
        switch driver {
        case "sps30": Self.betweenFlags(stream).compactMap(Self.sps30)
        case "bgeigie-nano": Self.records(stream).compactMap(Self.bGeigie)
        case "nmea": Self.records(stream).compactMap(Self.position)
        case "line": Self.lines(stream).compactMap(Self.line)
        case "kernel-sensor": Self.lines(stream).compactMap(Self.attributes)
        case "i2c-sensor": Self.lines(stream).compactMap(Self.pair)
        default: stream.indices.compactMap { frame(at: $0, of: stream) }
        }
    }

    private static let heads: [String: [UInt8]] = [
        "sds011": [0xAA], "plantower": [0x42], "hpma115": [0x40, 0x42], "mhz19b": [0xFF],
    ]

    private func frame(at start: Int, of stream: [UInt8]) -> Values? {
        guard Self.heads[driver]?.contains(stream[start]) == true else { return nil }
        let bytes = Array(stream[start...].prefix(40))
        return switch driver {
        case "sds011": Self.sds011(bytes)
        case "plantower": Self.plantower(bytes)
        case "hpma115": Self.hpma115(bytes)
        case "mhz19b": Self.mhz19b(bytes)
        default: nil
        }
    }

    private static func sum(_ bytes: some Sequence<UInt8>) -> Int {
        bytes.reduce(0) { $0 + Int($1) }
    }

    private static func word(_ bytes: [UInt8], _ index: Int) -> Double {
        Double(Int(bytes[index]) * 256 + Int(bytes[index + 1]))
    }

    private static func sds011(_ b: [UInt8]) -> Values? {
        guard b.count >= 10, b[0] == 0xAA, b[1] == 0xC0, b[9] == 0xAB,
            sum(b[2...7]) % 256 == Int(b[8])
        else { return nil }
        return [Double(Int(b[2]) + Int(b[3]) * 256) / 10, Double(Int(b[4]) + Int(b[5]) * 256) / 10]
    }

    /// Length of a long frame whose 16-bit sum is right.
    private static func long(_ b: [UInt8]) -> Int? {
        guard b.count >= 4, b[0] == 0x42, b[1] == 0x4D, b[2] == 0 else { return nil }
        let count = Int(b[3]) + 4
        guard b.count >= count, count >= 24, sum(b[..<(count - 2)]) == Int(word(b, count - 2))
        else {
            return nil
        }
        return count
    }

    private static func plantower(_ b: [UInt8]) -> Values? {
        guard let count = long(b), [24, 32, 40].contains(count) else { return nil }
        var values: Values = (0..<9).map { count == 24 && $0 > 2 ? nil : word(b, 10 + 2 * $0) }
        guard count == 40 else { return values + [nil, nil, nil] }
        let degrees = word(b, 30)
        values += [word(b, 28), (degrees > 32_767 ? degrees - 65_536 : degrees) / 10]
        return values + [word(b, 32) / 10]
    }

    private static func hpma115(_ b: [UInt8]) -> Values? {
        if let count = long(b) {
            guard count == 32, b[12..<30].allSatisfy({ $0 == 0 }) else { return nil }
            // The fourth word is a C0's.
            return word(b, 10) == 0
                ? [nil, word(b, 6), nil, word(b, 8)]
                : [word(b, 4), word(b, 6), word(b, 8), word(b, 10)]
        }
        guard b.count >= 8, b[0] == 0x40, b[2] == 0x04 else { return nil }
        if b[1] == 0x05, sum(b[..<8]) % 256 == 0 { return [nil, word(b, 3), nil, word(b, 5)] }
        guard b[1] == 0x0D, b.count >= 16, sum(b[..<16]) % 256 == 0 else { return nil }
        return [word(b, 3), word(b, 5), word(b, 7), word(b, 9)]
    }

    private static func mhz19b(_ b: [UInt8]) -> Values? {
        guard b.count >= 9, b[0] == 0xFF, b[1] == 0x86, sum(b[1...8]) % 256 == 0 else { return nil }
        return [word(b, 2)]
    }

    private static func betweenFlags(_ stream: [UInt8]) -> [[UInt8]] {
        let parts = stream.split(separator: 0x7E, omittingEmptySubsequences: false)
        return parts.dropFirst().dropLast().map(Array.init)
    }

    private static func sps30(_ stuffed: [UInt8]) -> Values? {
        var content: [UInt8] = []
        var index = 0
        while index < stuffed.count {
            guard stuffed[index] == 0x7D else {
                content.append(stuffed[index])
                index += 1
                continue
            }
            guard index + 1 < stuffed.count else { return nil }
            content.append(stuffed[index + 1] ^ 0x20)
            index += 2
        }
        guard content.count == 45, content[0] == 0, content[1] == 3, content[3] == 40,
            sum(content) % 256 == 255
        else { return nil }
        return (0..<10).map { place in
            let bits = content[(4 + 4 * place)..<(8 + 4 * place)].reduce(UInt32(0)) {
                $0 * 256 + UInt32($1)
            }
            return (Double(Float(bitPattern: bits)) * 100).rounded(.toNearestOrEven) / 100
        }
    }

    private static func lines(_ stream: [UInt8]) -> [String] {
        stream.split { $0 == 10 || $0 == 13 }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Finds records: from each `$` to the next `*` in its line, and two characters more.
    private static func records(_ stream: [UInt8]) -> [String] {
        stream.indices.filter { stream[$0] == 0x24 }.compactMap { start in
            let line = stream[start...].prefix { $0 != 10 && $0 != 13 }
            guard let star = line.firstIndex(of: 0x2A) else { return nil }
            return String(decoding: line[..<star] + line[star...].prefix(3), as: UTF8.self)
        }
    }

    /// Returns the text between `$` and the first `*`, when the two digits behind are its XOR.
    private static func checked(_ line: String) -> Substring? {
        guard line.hasPrefix("$"), let star = line.firstIndex(of: "*") else { return nil }
        let content = line[line.index(after: line.startIndex)..<star]
        let digits = line[line.index(after: star)...].prefix(2)
        return UInt8(digits, radix: 16) == content.utf8.reduce(0, ^) ? content : nil
    }

    /// Values that any good GGA with a fix may give; other sentences can only withdraw them.
    private static func position(_ line: String) -> Values? {
        guard line.count - (line.firstIndex(of: "*").map { line[..<$0].count } ?? 0) == 3,
            let items = checked(line)?.split(separator: ",", omittingEmptySubsequences: false),
            items.count >= 12, items[0].count == 5, items[0].hasSuffix("GGA"),
            let quality = Int(items[6]), quality > 0, quality != 6
        else { return nil }
        guard let latitude = degrees(items, 2), let longitude = degrees(items, 4)
        else { return nil }
        // Seven decimals are kept of the place, two of the others.
        let place = [latitude, longitude].map { ($0 * 1e7).rounded() / 1e7 }
        let rest = [Double(items[9]), Double(items[8]).map { $0 * 6 }]
        return place + rest.map { value in value.map { ($0 * 100).rounded() / 100 } }
    }

    /// Degrees from an item such as `4807.038`, 48° and 7.038′, and the hemisphere after it.
    private static func degrees(_ items: [Substring], _ index: Int) -> Double? {
        guard let packed = Double(items[index]) else { return nil }
        let whole = (packed / 100).rounded(.down)
        let value = whole + (packed - whole * 100) / 60
        return ["S", "W"].contains(items[index + 1]) ? -value : value
    }

    private static func bGeigie(_ line: String) -> Values? {
        guard let items = checked(line)?.split(separator: ",", omittingEmptySubsequences: false),
            items.count >= 13, items[0].hasSuffix("DD")
        else { return nil }
        return [Double(items[3]), degrees(items, 7), degrees(items, 9), Double(items[11])]
    }

    private static func line(_ line: String) -> Values? {
        guard let content = checked(line), content.hasPrefix("W;") else { return nil }
        let items = content.dropFirst(2).split(separator: ";", omittingEmptySubsequences: false)
        let values = items.map { Double($0.filter { $0 != " " && $0 != "\t" }) }
        let areThere = values.allSatisfy { $0.map { (0...100).contains($0) } ?? true }
        return items.count == 2 && areThere ? values : nil
    }

    /// An answer of a bus: two values of three tokens each, in thousandths.
    private static func attributes(_ line: String) -> Values? {
        let tokens = line.split(separator: " ").map(String.init)
        let sum = crc(line.utf8.dropLast(9))
        guard tokens.count == 8, tokens[0] == "0", sum == UInt32(tokens[7], radix: 16) else {
            return nil
        }
        let values = [1, 4].map { start -> Double? in
            guard let number = content(tokens[start]) else { return nil }
            guard tokens[start].hasPrefix("1=") else { return rounded(number / 1_000) }
            guard let offset = content(tokens[start + 1], or: 0),
                let scale = content(tokens[start + 2], or: 1)
            else { return nil }
            return rounded((number + offset) * scale / 1_000)
        }
        return values.contains { $0 != nil } ? values : nil
    }

    /// An answer to `measure` of a part as an SHT31: two words, each with its CRC-8.
    private static func pair(_ line: String) -> Values? {
        let tokens = line.split(separator: " ").map(String.init)
        guard tokens.count == 5, tokens[0] == "0", tokens[1].hasSuffix("="),
            tokens[2].hasSuffix("="), crc(line.utf8.dropLast(9)) == UInt32(tokens[4], radix: 16),
            let bytes = bytes(tokens[3]), bytes.count == 6,
            crc8(bytes[0...1]) == bytes[2], crc8(bytes[3...4]) == bytes[5]
        else { return nil }
        return [
            rounded(word(bytes, 0) * 175 / 65_535 - 45), rounded(word(bytes, 3) * 100 / 65_535),
        ]
    }

    private static func crc8(_ bytes: some Sequence<UInt8>) -> UInt8 {
        var sum: UInt8 = 0xFF
        for byte in bytes {
            sum ^= byte
            for _ in 0..<8 { sum = sum & 0x80 == 0 ? sum << 1 : sum << 1 ^ 0x31 }
        }
        return sum
    }

    private static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// The bytes of a token such as `0=3235`.
    private static func bytes(_ token: String) -> [UInt8]? {
        guard let mark = token.firstIndex(of: "=") else { return nil }
        let digits = Array(token[token.index(after: mark)...])
        guard digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }

    /// The number that a token holds in hexadecimal ASCII; `usual` of a file that is not there.
    private static func content(_ token: String, or usual: Double? = nil) -> Double? {
        if token == "!2" { return usual }
        guard let bytes = bytes(token) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return Double(text.filter { !" \t\n\r".contains($0) })
    }
}

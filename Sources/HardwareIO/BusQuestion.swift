import Core

/// A question to a part on a bus of the board: what to read and write, in order.
///
/// A dialect writes it as one line, a port carries it out step by step, a simulated part answers
/// it: `0 a:in_temp_input|in_temp_raw` or `1 w:3682 p:1 r:9`.
package struct BusQuestion: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// Reads the first of these files that is in the part's folder in sysfs.
        case attribute([String])
        /// Writes 1…32 bytes to the part's address.
        case write([UInt8])
        /// Waits, 1…2 000 ms.
        case pause(milliseconds: Int)
        /// Reads 1…64 bytes from the part's address.
        case read(count: Int)
    }

    /// Steps of one question.
    package static let stepLimit = 64
    /// Bytes of one question.
    package static let byteLimit = 4_096
    package static let writeLimit = 32
    package static let readLimit = 64
    package static let pauseLimit = 2_000

    /// 0…9; the answer has it too, so that a late one is not held for another.
    package let number: Int
    package let steps: [Step]

    package init(_ steps: [Step], number: Int = 0) { (self.steps, self.number) = (steps, number) }

    /// Whether a name can be that of a file in sysfs: no folder, nothing hidden.
    package static func isAttribute(_ name: some StringProtocol) -> Bool {
        let others = Array("_-".utf8)
        return (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                others.contains(byte) || (0x30...0x39).contains(byte)
                    || (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
            }
    }

    /// The line, its end among the bytes.
    package var bytes: [UInt8] {
        let tokens = steps.map { step in
            switch step {
            case .attribute(let names): "a:" + names.joined(separator: "|")
            case .write(let bytes): "w:" + Hexadecimal.text(bytes)
            case .pause(let milliseconds): "p:\(milliseconds)"
            case .read(let count): "r:\(count)"
            }
        }
        return Array((["\(number)"] + tokens).joined(separator: " ").utf8) + [0x0A]
    }

    /// Reads a line without its end.
    ///
    /// - Returns: nil for anything that a port must not carry out.
    package init?(_ line: some Collection<UInt8>) {
        let tokens = line.split(separator: 0x20)
        guard line.count < Self.byteLimit, let first = tokens.first,
            let number = PlainDecimal.whole(first, in: 0...9)
        else { return nil }
        var steps: [Step] = []
        for token in tokens.dropFirst() {
            guard let step = Self.step(String(decoding: token, as: UTF8.self)) else { return nil }
            steps.append(step)
        }
        guard (1...Self.stepLimit).contains(steps.count) else { return nil }
        self.init(steps, number: number)
    }

    private static func step(_ token: String) -> Step? {
        let rest = token.dropFirst(2)
        switch token.prefix(2) {
        case "a:":
            let names = rest.split(separator: "|", omittingEmptySubsequences: false)
            guard (1...4).contains(names.count), names.allSatisfy(isAttribute) else { return nil }
            return .attribute(names.map(String.init))
        case "w:":
            guard let bytes = Hexadecimal.bytes(String(rest)),
                (1...writeLimit).contains(bytes.count)
            else { return nil }
            return .write(bytes)
        case "p:": return PlainDecimal.whole(rest.utf8, in: 1...pauseLimit).map(Step.pause)
        case "r:": return PlainDecimal.whole(rest.utf8, in: 1...readLimit).map(Step.read)
        default: return nil
        }
    }
}

/// What came of each step of a question, in its order, and a checksum of the line.
package struct BusAnswer: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        /// What was read; none of a write or a pause.
        ///
        /// - Parameter choice: Which of an attribute's names it was, from 0.
        case bytes([UInt8], choice: Int)
        /// The error number of the system call.
        case failed(Int32)
        /// Not tried, as a step before it failed.
        case skipped
    }

    /// Bytes of one attribute; a longer one is cut.
    package static let attributeLimit = 256
    /// Bytes of the longest answer: each step an attribute at its limit.
    package static let byteLimit = BusQuestion.stepLimit * (2 * attributeLimit + 4) + 11

    /// That of the question.
    package let number: Int
    package let results: [Result]

    package init(_ results: [Result], number: Int = 0) {
        (self.results, self.number) = (results, number)
    }

    /// The line, its end among the bytes: `0 0=3235303830 !5 - 1a2b3c4d`.
    package var bytes: [UInt8] {
        let tokens = results.map { result in
            switch result {
            case .bytes(let bytes, let choice): "\(choice)=" + Hexadecimal.text(bytes)
            case .failed(let code): "!\(code)"
            case .skipped: "-"
            }
        }
        let line = Array((["\(number)"] + tokens).joined(separator: " ").utf8)
        return line + Array(" \(Self.checksum(line))\n".utf8)
    }

    private static func checksum(_ line: some Collection<UInt8>) -> String {
        let sum = CRC32.checksum(line)
        return Hexadecimal.text((0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) })
    }

    /// Reads a line without its end; nil for anything else.
    package init?(_ line: some Collection<UInt8>) {
        var results: [Result] = []
        let content = line.prefix(max(line.count - 9, 0))
        guard line.suffix(9).elementsEqual(" \(Self.checksum(content))".utf8) else { return nil }
        let tokens = content.split(separator: 0x20)
        guard let first = tokens.first, let number = PlainDecimal.whole(first, in: 0...9) else {
            return nil
        }
        for token in tokens.dropFirst() {
            guard let result = Self.result(token) else { return nil }
            results.append(result)
        }
        guard (1...BusQuestion.stepLimit).contains(results.count) else { return nil }
        self.init(results, number: number)
    }

    private static func result(_ token: some Collection<UInt8>) -> Result? {
        guard let first = token.first else { return nil }
        if first == UInt8(ascii: "-") { return token.count == 1 ? .skipped : nil }
        if first == UInt8(ascii: "!") {
            return PlainDecimal.whole(token.dropFirst(), in: 1...4_095).map { .failed(Int32($0)) }
        }
        let choice = Int(first) - 0x30
        guard (0...3).contains(choice), token.dropFirst().first == UInt8(ascii: "="),
            let bytes = Hexadecimal.bytes(String(decoding: token.dropFirst(2), as: UTF8.self)),
            bytes.count <= attributeLimit
        else { return nil }
        return .bytes(bytes, choice: choice)
    }
}

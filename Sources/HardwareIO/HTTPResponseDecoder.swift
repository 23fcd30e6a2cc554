/// Parses an HTTP/1.0 or 1.1 response to a GET that arrives in pieces of any size.
///
/// Bounds: 64 KiB of body, and 256 KiB with all heads and the lengths of chunks; more is an error.
/// So is a head that has not ended after 8 KiB; a longer head passes if one piece completes it.
/// The body ends by its length, by its last chunk, or with the connection.
///
/// - Source: RFC 9112, sections 4, 6 and 7.
package struct HTTPResponseDecoder: Sendable {
    package static let headLimit = 8 * 1_024
    package static let bodyLimit = 64 * 1_024
    /// Bytes of all that is received: interim responses (1xx) and small chunks have no other bound.
    package static let byteLimit = 256 * 1_024

    /// A response that cannot be parsed, with the reason.
    package struct Flaw: Error, Hashable, Sendable {
        package let words: String
    }

    private enum Framing: Hashable {
        case length(Int)
        case chunks
        case untilEnd
    }

    private enum Step {
        case head
        case body(status: Int, Framing)
    }

    private var step = Step.head
    private var bytes: [UInt8] = []  // Bytes not parsed yet.
    private var body: [UInt8] = []
    private var byteCount = 0

    package init() {}

    /// Parses bytes.
    ///
    /// - Parameters:
    ///   - received: In stream order.
    ///   - isAtEnd: The other side has closed.
    /// - Returns: The response once it is whole; nil when more must come.
    /// - Throws: `Flaw` when no further bytes can make a valid response of it.
    package mutating func receive(
        _ received: [UInt8],
        isAtEnd: Bool = false
    ) throws(Flaw) -> HTTPResponse? {
        bytes += received
        byteCount += received.count
        guard byteCount <= Self.byteLimit else { throw Flaw(words: "more than 256 KiB") }
        if case .head = step { try takeHead() }
        guard case .body(let status, let framing) = step else {
            guard !isAtEnd else { throw Flaw(words: "it ends in its head") }
            return nil
        }
        switch framing {
        case .length(let count):
            if bytes.count >= count {
                return HTTPResponse(status: status, body: Array(bytes.prefix(count)))
            }
        case .chunks:
            if try takeChunks() { return HTTPResponse(status: status, body: body) }
        case .untilEnd:
            guard bytes.count <= Self.bodyLimit else { throw Flaw(words: "more than 64 KiB") }
            if isAtEnd { return HTTPResponse(status: status, body: bytes) }
        }
        guard !isAtEnd else { throw Flaw(words: "it is cut short") }
        return nil
    }

    private mutating func takeHead() throws(Flaw) {
        while case .head = step {
            guard let end = Self.endOfHead(bytes) else {
                guard bytes.count <= Self.headLimit else { throw Flaw(words: "a head too long") }
                return
            }
            let lines = Self.lines(bytes[..<end.start])
            bytes.removeFirst(end.next)
            guard let status = Self.status(lines.first ?? "") else {
                throw Flaw(words: "no status line")
            }
            // An interim response (1xx): another head follows.
            if (100...199).contains(status) { continue }
            step = .body(status: status, try Self.framing(lines.dropFirst(), status: status))
        }
    }

    private static func endOfHead(_ bytes: [UInt8]) -> (start: Int, next: Int)? {
        for index in bytes.indices where bytes[index] == 0x0A {
            let rest = bytes[(index + 1)...]
            if rest.first == 0x0A { return (index + 1, index + 2) }
            if rest.starts(with: [0x0D, 0x0A]) { return (index + 1, index + 3) }
        }
        return nil
    }

    private static func lines(_ head: ArraySlice<UInt8>) -> [String] {
        head.split(separator: 0x0A).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
    }

    private static func status(_ line: String) -> Int? {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].utf8.count == 3,
            let status = Int(parts[1]), (100...599).contains(status)
        else { return nil }
        return status
    }

    private static func framing(
        _ headers: some Sequence<String>,
        status: Int
    ) throws(Flaw) -> Framing {
        if status == 204 || status == 304 { return .length(0) }
        var length: Int?
        for header in headers {
            let parts = header.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].trimmedOfBlanks
            switch parts[0].lowercased() {
            case "transfer-encoding":
                guard value.lowercased() == "chunked" else {
                    throw Flaw(words: "encoding \(PlainText.shown(value))")
                }
                return .chunks
            case "content-encoding":
                guard value.lowercased() == "identity" else {
                    throw Flaw(words: "encoding \(PlainText.shown(value))")
                }
            case "content-length":
                guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(value),
                    length ?? count == count
                else { throw Flaw(words: "length \(PlainText.shown(value))") }
                guard count <= bodyLimit else { throw Flaw(words: "more than 64 KiB") }
                length = count
            default: break
            }
        }
        return length.map(Framing.length) ?? .untilEnd
    }

    /// Parses each whole chunk; true after the last chunk.
    private mutating func takeChunks() throws(Flaw) -> Bool {
        while let end = bytes.firstIndex(of: 0x0A) {
            let line = String(decoding: bytes[..<end], as: UTF8.self)
            let digits = line.prefix { $0 != ";" && $0 != "\r" }.trimmedOfBlanks
            guard !digits.isEmpty, digits.utf8.count <= 6, let count = Int(digits, radix: 16),
                count >= 0
            else { throw Flaw(words: "a chunk without its length") }
            if count == 0 { return true }
            guard body.count + count <= Self.bodyLimit else {
                throw Flaw(words: "more than 64 KiB")
            }
            let start = end + 1
            guard bytes.count >= start + count + 2 else { return false }
            let tail = bytes[(start + count)..<(start + count + 2)]
            guard tail.elementsEqual([0x0D, 0x0A]) else {
                throw Flaw(words: "a chunk without its end")
            }
            body += bytes[start..<(start + count)]
            bytes.removeFirst(start + count + 2)
        }
        guard bytes.count <= 64 else { throw Flaw(words: "a chunk without its length") }
        return false
    }
}

extension StringProtocol {
    fileprivate var trimmedOfBlanks: String {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return String(text)
    }
}

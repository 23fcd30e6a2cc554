/// Finds the objects of JSON text in pieces of any size, each with its own plain members.
///
/// Objects come as they end, so an object within another comes before it; arrays around and within
/// them are passed over. Enough for lists of records that need no more memory than one of them;
/// what is no JSON gives nothing, or nonsense that a reader of records refuses.
struct FlatJSON: Sendable {
    /// A member's value: a text without its quotes, a number, `true`, `false` or `null` as it
    /// stands, or the texts of an array.
    enum Value: Hashable, Sendable {
        case text(String)
        case word(String)
        case list([String])
    }

    /// One object.
    struct Object: Hashable, Sendable {
        /// The line on which it ends, 1 for the first.
        let line: Int
        /// Objects around it.
        let depth: Int
        /// The member of the object around it that it is.
        let key: String?
        let members: [String: Value]
    }

    /// Objects and arrays within one another.
    static let depthLimit = 32
    /// Bytes of a text or a word; longer ones are cut.
    static let tokenLimit = 4_096
    /// Plain members of an object; further ones are left out.
    static let memberLimit = 256

    private struct Frame {
        let isObject: Bool
        var key: String?
        var members: [String: Value] = [:]
        /// Texts of an array; at most `memberLimit`.
        var texts: [String] = []
    }

    private enum State { case between, text, escape, unicode, word }

    private var state = State.between
    private var frames: [Frame] = []
    private var token: [UInt8] = []
    private var digits: [UInt8] = []
    /// Deeper than `depthLimit`: nothing more is found.
    private(set) var isTooDeep = false
    /// Where the text that was read so far ends.
    private(set) var line = 1
    /// Whether an object, an array or a text has begun that has not ended.
    var isOpen: Bool { !frames.isEmpty || ![.between, .word].contains(state) }

    init() {}

    /// Feeds the next bytes.
    ///
    /// - Returns: The objects that ended within them.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [Object] {
        var found: [Object] = []
        for byte in bytes where !isTooDeep { receive(byte, &found) }
        return found
    }

    private mutating func receive(_ byte: UInt8, _ found: inout [Object]) {
        if byte == UInt8(ascii: "\n") { line += 1 }
        switch state {
        case .text: takeText(byte)
        case .escape: takeEscape(byte)
        case .unicode: takeUnicode(byte)
        case .word, .between:
            if state == .word {
                guard Self.endsWord(byte) else { return append(byte) }
                close(.word(String(decoding: token, as: UTF8.self)))
            }
            takeMark(byte, &found)
        }
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte <= 0x20 || [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(byte)
    }

    private mutating func append(_ byte: UInt8) {
        if token.count < Self.tokenLimit { token.append(byte) }
    }

    private mutating func takeText(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\\"): state = .escape
        case UInt8(ascii: "\""):
            let text = String(decoding: token, as: UTF8.self)
            // A text before a colon is a key; `takeMark` sees the colon.
            if let last = frames.indices.last, frames[last].isObject, frames[last].key == nil {
                frames[last].key = text
                (token, state) = ([], .between)
            } else {
                close(.text(text))
            }
        default: append(byte)
        }
    }

    private mutating func takeEscape(_ byte: UInt8) {
        state = .text
        switch byte {
        case UInt8(ascii: "n"): append(0x0A)
        case UInt8(ascii: "t"): append(0x09)
        case UInt8(ascii: "r"): append(0x0D)
        case UInt8(ascii: "b"), UInt8(ascii: "f"): append(0x20)
        case UInt8(ascii: "u"): (digits, state) = ([], .unicode)
        default: append(byte)
        }
    }

    private mutating func takeUnicode(_ byte: UInt8) {
        digits.append(byte)
        guard digits.count == 4 else { return }
        state = .text
        let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        // Half of a pair, or no number: its character is not needed here.
        let scalar = code.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
        for byte in String(Character(scalar)).utf8 { append(byte) }
    }

    private mutating func takeMark(_ byte: UInt8, _ found: inout [Object]) {
        switch byte {
        case UInt8(ascii: "\""): (token, state) = ([], .text)
        case UInt8(ascii: "{"): open(isObject: true)
        case UInt8(ascii: "["): open(isObject: false)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard let frame = frames.popLast() else { return }
            if frame.isObject, byte == UInt8(ascii: "}"), !frame.members.isEmpty {
                let depth = frames.count { $0.isObject }
                let key = frames.last?.key
                found.append(Object(line: line, depth: depth, key: key, members: frame.members))
            }
            if !frame.isObject, !frame.texts.isEmpty { close(.list(frame.texts)) }
            if let last = frames.indices.last { frames[last].key = nil }
        case UInt8(ascii: ","), UInt8(ascii: ":"): break
        case 0...0x20: break
        default: (token, state) = ([byte], .word)
        }
    }

    private mutating func open(isObject: Bool) {
        guard frames.count < Self.depthLimit else {
            isTooDeep = true
            return
        }
        frames.append(Frame(isObject: isObject))
    }

    /// Ends a value that is neither object nor array.
    private mutating func close(_ value: Value) {
        (token, state) = ([], .between)
        guard let last = frames.indices.last else { return }
        if case .text(let text) = value, !frames[last].isObject {
            if frames[last].texts.count < Self.memberLimit { frames[last].texts.append(text) }
            return
        }
        guard frames[last].isObject, let key = frames[last].key else { return }
        frames[last].key = nil
        guard frames[last].members.count < Self.memberLimit else { return }
        frames[last].members[key] = value
    }
}

import Core

/// A part on I²C that the kernel is to give a driver: bus, address, and the driver's name for it.
package struct BusPart: Hashable, Sendable {
    /// Bytes of a name; the kernel's own limit is 20 with its end.
    package static let nameLimit = 19
    /// Numbers of buses.
    package static let buses = 0...255

    /// The number of `/dev/i2c-1`.
    package let bus: Int
    package let address: UInt8
    /// Such as `bme280`.
    package let name: String

    package init(bus: Int, address: UInt8, name: String) {
        (self.bus, self.address, self.name) = (bus, address, name)
    }

    /// Whether a text can be a name of the kernel's: small letters, digits, `_` and `-`.
    package static func isName(_ text: some StringProtocol) -> Bool {
        guard (1...nameLimit).contains(text.utf8.count), let first = text.utf8.first else {
            return false
        }
        func isPlain(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
        }
        let others = Array("_-".utf8)
        return isPlain(first) && text.utf8.allSatisfy { isPlain($0) || others.contains($0) }
    }

    /// Whether both are at one place.
    package func isAt(_ other: BusPart) -> Bool { bus == other.bus && address == other.address }

    /// The part's folder below `/sys/bus/i2c/devices`: `1-0076`.
    package var folder: String { "\(bus)-00\(Hexadecimal.text([address]))" }

    /// One line of a list, without its end: `1 0x76 bme280`.
    package var text: String { "\(bus) \(Self.text(address)) \(name)" }

    /// An address as people and the kernel write it: `0x76`.
    package static func text(_ address: UInt8) -> String { "0x" + Hexadecimal.text([address]) }

    /// Reads a line; nil for anything that is not exactly so.
    package init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return nil }
        self.init(words[...])
    }

    /// Reads three words of a line.
    init?(_ words: ArraySlice<some StringProtocol>) {
        guard words.count == 3, let first = words.first,
            let bus = PlainDecimal.whole(first.utf8, in: Self.buses), String(bus) == first,
            case let text = words[words.startIndex + 1], text.utf8.count == 4,
            text.hasPrefix("0x"), let byte = Hexadecimal.bytes(String(text.dropFirst(2)))?.first,
            BusPlace.addresses.contains(byte), text == Self.text(byte),
            case let name = words[words.startIndex + 2], Self.isName(name)
        else { return nil }
        self.init(bus: bus, address: byte, name: String(name))
    }
}

/// The parts that a station wants bound, as the file that it writes and a service of root reads.
///
/// One line for each, each with its end; a line that is not exactly so is none. The first line may
/// number the request instead, `request 17`: the same parts can be asked for again, and the result
/// of before must not answer. Root believes nothing of it: names are compared with those of the
/// shipped profiles.
package struct BusPartList: Hashable, Sendable {
    /// Parts of a list; the lines behind are refused.
    package static let limit = 16
    /// Bytes of the file at most.
    package static let byteLimit = 4_096

    package private(set) var parts: [BusPart]
    /// The request's number, 1 or more; nil of a list that an earlier version wrote.
    package private(set) var request: UInt32?
    /// Lines that are no part, shortened and made printable.
    package private(set) var refused: [String] = []

    package init(_ parts: [BusPart] = []) { self.parts = parts }

    /// Reads a file; what is wrong in it is left out and listed.
    package init(reading bytes: some Collection<UInt8>) {
        parts = []
        guard bytes.count <= Self.byteLimit else {
            refused = ["a list of \(bytes.count) bytes"]
            return
        }
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: true) {
            if parts.isEmpty, refused.isEmpty, request == nil, let number = Self.request(line) {
                request = number
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            guard let part = BusPart(text), parts.count < Self.limit,
                !parts.contains(where: { $0.isAt(part) })
            else {
                if refused.count < Self.limit { refused.append(PlainText.shown(text, limit: 60)) }
                continue
            }
            parts.append(part)
        }
    }

    private static func request(_ line: some Collection<UInt8>) -> UInt32? {
        let text = String(decoding: line, as: UTF8.self)
        guard let number = UInt32(text.dropFirst(8)), number > 0, text == "request \(number)" else {
            return nil
        }
        return number
    }

    package var bytes: [UInt8] {
        let first = request.map { "request \($0)\n" } ?? ""
        return Array((first + parts.map { $0.text + "\n" }.joined()).utf8)
    }

    /// The list with one part more, in the place of one at its address.
    package func adding(_ part: BusPart) -> BusPartList {
        having(parts.filter { !$0.isAt(part) } + [part])
    }

    package func removing(bus: Int, address: UInt8) -> BusPartList {
        having(parts.filter { $0.bus != bus || $0.address != address })
    }

    private func having(_ parts: [BusPart]) -> BusPartList {
        var list = self
        (list.parts, list.refused) = (parts, [])
        return list
    }

    /// The list under the next number, which neither it nor the last result had; 1 follows the
    /// highest.
    package func asked(after last: BusResult?) -> BusPartList {
        var list = self
        let highest = max(request ?? 0, last?.request ?? 0)
        list.request = highest == .max ? 1 : highest + 1
        return list
    }
}

/// What the service of root did for a list, as the file that it writes and the station reads.
package struct BusResult: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// A driver has the part.
        case bound
        /// The kernel knows the part, and no driver took it: it has none, or that refused it.
        case undriven
        /// Another part is bound to this address.
        case taken
        /// There is no such bus.
        case noBus = "no-bus"
        /// No shipped profile has this name.
        case unknown
        /// The kernel refused it.
        case failed
        /// It is off the list, and the kernel did not let go of it: the next run asks again.
        case kept
        /// It was there before the list asked for it: an overlay or another program bound it, and
        /// no run takes it back.
        case elsewhere

        /// Whether a run of the service made the part, so that a run may take it back.
        package var isMade: Bool {
            switch self {
            case .bound, .undriven, .kept: true
            case .taken, .noBus, .unknown, .failed, .elsewhere: false
            }
        }
    }

    package struct Line: Hashable, Sendable {
        package let part: BusPart
        package let outcome: Outcome
        /// The driver's name, or that of the part that has the address; nil without one.
        package let other: String?

        package init(_ part: BusPart, _ outcome: Outcome, _ other: String? = nil) {
            (self.part, self.outcome, self.other) = (part, outcome, other)
        }
    }

    /// Checksum of the list that it is about.
    package let list: UInt32
    /// The number of that list; nil where it has none.
    package let request: UInt32?
    package let lines: [Line]

    package init(of list: some Collection<UInt8>, _ lines: [Line]) {
        (self.list, self.lines) = (CRC32.checksum(list), lines)
        request = BusPartList(reading: list).request
    }

    /// Whether it is about this list, and not about an earlier one with the same parts.
    package func answers(_ list: some Collection<UInt8>) -> Bool {
        self.list == CRC32.checksum(list) && request == BusPartList(reading: list).request
    }

    /// Bytes of the file at most.
    package static let byteLimit = 8_192

    package var bytes: [UInt8] {
        let first = "list \(list)" + (request.map { " \($0)" } ?? "")
        let rest = lines.map { line in
            "\(line.part.text) \(line.outcome.rawValue) \(line.other ?? "-")"
        }
        return Array(([first] + rest).map { $0 + "\n" }.joined().utf8)
    }

    /// Reads a file; nil for anything else, such as one that is half written.
    package init?(reading bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.byteLimit, bytes.suffix(1).elementsEqual([0x0A]) else {
            return nil
        }
        let texts = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        guard let first = texts.first, let (list, request) = Self.head(first),
            texts.count <= 1 + 2 * BusPartList.limit
        else { return nil }
        var lines: [Line] = []
        for text in texts.dropFirst() {
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 5, let part = BusPart(words[..<3]),
                let outcome = Outcome(rawValue: String(words[3])),
                words[4] == "-" || BusPart.isDriver(words[4])
            else { return nil }
            lines.append(Line(part, outcome, words[4] == "-" ? nil : String(words[4])))
        }
        (self.list, self.request, self.lines) = (list, request, lines)
    }

    /// Reads `list 3735928559 17`; an earlier version wrote no number behind the checksum.
    private static func head(_ text: String) -> (list: UInt32, request: UInt32?)? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard (2...3).contains(words.count), words[0] == "list", let list = UInt32(words[1]) else {
            return nil
        }
        guard words.count == 3 else { return (list, nil) }
        guard let request = UInt32(words[2]), request > 0, words[2] == "\(request)" else {
            return nil
        }
        return (list, request)
    }

    package func line(bus: Int, address: UInt8) -> Line? {
        lines.first { $0.part.bus == bus && $0.part.address == address }
    }
}

extension BusPart {
    /// Whether a text can be a driver's name, which may have capital letters.
    package static func isDriver(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

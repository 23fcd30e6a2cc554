import Core
import HardwareIO

/// How a part on I²C is recognised, and under which name a driver of the kernel takes it.
package struct I2CFacts: Hashable, Sendable {
    /// A register whose content says which part it is; to read it changes nothing.
    package struct Identity: Hashable, Sendable {
        package let register: UInt8
        /// Contents of the part, 1 or 2 bytes in hexadecimal, `.` for any digit: `60`, `1050`.
        package let contents: [String]

        /// Bytes of the register, 1…2.
        package var count: Int { (contents.map(\.utf8.count).max() ?? 2) / 2 }

        package func agrees(with bytes: [UInt8]) -> Bool {
            let text = Array(Hexadecimal.text(bytes).utf8)
            return contents.contains { content in
                content.utf8.count == text.count
                    && zip(content.utf8, text).allSatisfy { $0 == $1 || $0 == UInt8(ascii: ".") }
            }
        }
    }

    /// A command of one byte that asks for a number with checksums and starts nothing.
    package struct Serial: Hashable, Sendable {
        package let command: UInt8
        /// Words of two bytes, each with its CRC-8 of Sensirion, 1…4.
        package let words: Int
    }

    /// Names of one part at most.
    package static let nameLimit = 8
    /// Addresses of one part at most.
    package static let addressLimit = 16

    package let addresses: [UInt8]
    /// What is written to `new_device`, the usual one first; none of a part without a driver.
    package var names: [String] = []
    package var identity: Identity?
    package var serial: Serial?
    /// The profile that reads the part without a driver.
    package var direct: String?

    package init(addresses: [UInt8]) { self.addresses = addresses }

    /// Reads `0x76`; nil for anything else, and for an address that is reserved.
    package static func address(_ text: some StringProtocol) -> UInt8? {
        byte(text).flatMap { BusPlace.addresses.contains($0) ? $0 : nil }
    }

    /// Reads `0xd0`: two small digits.
    package static func byte(_ text: some StringProtocol) -> UInt8? {
        guard text.utf8.count == 4, text.hasPrefix("0x"), text == text.lowercased() else {
            return nil
        }
        return Hexadecimal.bytes(String(text.dropFirst(2)))?.first
    }
}

extension I2CFacts {
    /// Reads `i2c` of a profile of kind `bus`; nil with problems noted.
    init?(_ reader: inout ObjectReader) {
        if reader.value("addresses") == nil { reader.problem("addresses", "is missing") }
        let addresses = reader.texts("addresses", limit: Self.addressLimit, length: 4, .address)
        guard !reader.isEmptyList("addresses", "names no address") else { return nil }
        self.init(addresses: addresses.compactMap { Self.address($0) })
        names = reader.texts("names", limit: Self.nameLimit, length: BusPart.nameLimit, .kernelName)
        if var identity = reader.object("identity") {
            let register = identity.requiredText("register", limit: 4, .byte)
            if identity.value("is") == nil { identity.problem("is", "is missing") }
            let contents = identity.texts("is", limit: 8, length: 4, .content)
            let isEmpty = identity.isEmptyList("is", "names no content")
            identity.finish()
            if !isEmpty, let register = register.flatMap({ Self.byte($0) }) {
                self.identity = Identity(register: register, contents: contents)
            }
        }
        if var serial = reader.object("serial") {
            let command = serial.requiredText("command", limit: 4, .byte)
            let words = serial.requiredWhole("words", in: 1...4)
            serial.finish()
            if let command = command.flatMap({ Self.byte($0) }), let words {
                self.serial = Serial(command: command, words: words)
            }
        }
        direct = reader.text("direct", limit: 64, .identifier)
        reader.finish()
    }
}

extension ObjectReader {
    /// Whether a list is there and empty, which is then a problem.
    fileprivate mutating func isEmptyList(_ key: String, _ message: String) -> Bool {
        guard case .array(let values)? = value(key), values.isEmpty else { return false }
        problem(key, message)
        return true
    }
}

/// Names one boot of the machine: the kernel's random id, 16 bytes.
package struct BootID: Hashable, Sendable, CustomStringConvertible {
    /// Sixteen bytes.
    package let bytes: [UInt8]

    /// A boot id of exactly sixteen bytes.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a boot id has sixteen bytes")
        self.bytes = bytes
    }

    /// Reads `cca67d31-9dcd-45a4-819e-02af9384f2d6`; nil when it is none.
    package init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    /// Thirty-two hexadecimal digits.
    package var description: String { Hexadecimal.text(bytes) }
}

import Profiles

/// Some bits of the bytes that a part on I²C answers, which are big-endian.
struct I2CField: Hashable, Sendable {
    /// The first of them, from 0, the highest bit of the first byte.
    let bit: Int
    /// 1…32.
    let count: Int

    /// Reads `bit` and `bits` of an object in a profile's settings.
    ///
    /// - Parameters:
    ///   - count: How many bits it has in any case; nil leaves it to the profile.
    ///   - limit: Bits that the part answers.
    init(_ reader: inout ObjectReader, count: Int?, among limit: Int) {
        bit = reader.whole("bit", in: 0...max(limit - 1, 0)) ?? 0
        self.count = count ?? reader.whole("bits", in: 1...32) ?? 16
        guard bit + self.count > limit else { return }
        let end = "its \(self.count) bits end behind the \(limit) that are read"
        reader.problem("bit", end)
    }

    /// The bits as a number; nil when there are too few.
    func value(in bytes: [UInt8]) -> UInt32? {
        guard bit + count <= 8 * bytes.count else { return nil }
        return (bit..<(bit + count)).reduce(UInt32(0)) { number, bit in
            number << 1 | UInt32(bytes[bit / 8] >> (7 - UInt8(bit % 8)) & 1)
        }
    }

    /// Sets the bits, as a simulated part does.
    func put(_ value: UInt32, into bytes: inout [UInt8]) {
        for index in 0..<count where bit + index < 8 * bytes.count {
            let (place, mask) = ((bit + index) / 8, UInt8(0x80) >> UInt8((bit + index) % 8))
            if value >> UInt32(count - 1 - index) & 1 == 0 {
                bytes[place] &= ~mask
            } else {
                bytes[place] |= mask
            }
        }
    }
}

/// What bits of an answer must be, so that the answer counts: that the part is not busy.
struct I2CCondition: Hashable, Sendable {
    let field: I2CField
    let value: UInt32
    /// What it means when they are not: `the part is busy`.
    let flaw: String

    /// Bytes of a flaw.
    private static let flawLimit = 80

    /// Reads `valid` of a profile's settings.
    ///
    /// - Parameter limit: Bits that the part answers.
    static func list(_ reader: inout ObjectReader, among limit: Int) -> [I2CCondition] {
        var conditions = reader.objects("valid", limit: 8)
        return conditions.indices.map { index in
            defer { conditions[index].finish() }
            return I2CCondition(&conditions[index], among: limit)
        }
    }

    private init(_ reader: inout ObjectReader, among limit: Int) {
        field = I2CField(&reader, count: nil, among: limit)
        let largest = Int(UInt32.max >> UInt32(32 - field.count))
        let number = reader.whole("is", in: 0...largest)
        if number == nil, reader.value("is") == nil { reader.problem("is", "is missing") }
        value = UInt32(number ?? 0)
        flaw = reader.required("otherwise") ?? ""
        if flaw.utf8.count > Self.flawLimit || flaw.contains(where: \.isNewline) {
            reader.problem("otherwise", "expected at most \(Self.flawLimit) bytes in one line")
        }
    }
}

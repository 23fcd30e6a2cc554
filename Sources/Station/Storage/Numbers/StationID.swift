import Core

/// Names a station to those who get its data: twelve hexadecimal digits, never the board's number.
///
/// Made once, of the kernel's random id of the boot and the time since then, and kept as a setting.
enum StationID {
    static let setting = "station.id"

    static func made(in boot: BootID, at now: MonotonicInstant) -> String {
        var seed = UInt64(bitPattern: now.nanoseconds)
        for byte in boot.bytes {
            // FNV-1a, then a step that spreads each bit over all.
            seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        var generator = SplitMix64(seed: seed)
        let digits = String(generator.next() >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }

    static func isValid(_ text: String) -> Bool {
        text.utf8.count == 12 && UInt64(text, radix: 16) != nil
    }
}

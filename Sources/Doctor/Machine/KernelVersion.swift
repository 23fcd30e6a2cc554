import LinuxPlatform
import Station

/// `6.6.31`, of `6.6.31+rpt-rpi-v8`.
struct KernelVersion: Hashable, Comparable, CustomStringConvertible {
    let numbers: [Int]

    init(_ numbers: Int...) { self.numbers = numbers }

    /// Parses a version; nil when the text does not begin with two numbers.
    init?(_ text: String) {
        let plain = text.prefix { $0.isNumber || $0 == "." }
        numbers = plain.split(separator: ".").prefix(3).compactMap { Int($0) }
        guard numbers.count >= 2 else { return nil }
    }

    static func < (left: KernelVersion, right: KernelVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    var description: String { numbers.map(String.init).joined(separator: ".") }
}

import HardwareIO
import Profiles

extension ObjectReader {
    /// A line by name (`"GPIO17"`) or by offset (`17`).
    package mutating func line(_ key: String) -> LineRequest.Line? {
        guard let found = value(key) else { return nil }
        switch found {
        case .string(let name) where !name.isEmpty: return .name(name)
        case .number(let offset) where offset == offset.rounded() && (0...1_023).contains(offset):
            return .offset(Int(offset))
        default:
            problem(key, "expected a line's name or its offset 0…1023, found \(found.shown)")
            return nil
        }
    }
}

import Glibc

/// Date of this machine's clock, right or wrong.
enum MachineDate {
    /// Date in UTC, such as `1970-01-01`.
    static var today: String {
        var (seconds, parts) = (time(nil), tm())
        gmtime_r(&seconds, &parts)
        let fields = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        return fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }
}

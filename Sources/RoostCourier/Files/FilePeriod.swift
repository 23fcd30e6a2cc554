/// Length of time that one file covers.
package enum FilePeriod: String, CaseIterable, Hashable, Sendable {
    case hourly, daily, weekly, monthly

    package var seconds: Int {
        switch self {
        case .hourly: 3_600
        case .daily: 86_400
        case .weekly: 604_800
        // 43 800 minutes, a twelfth of a year.
        case .monthly: 2_628_000
        }
    }
}

/// Convention for the names of files.
package enum FileNaming: String, CaseIterable, Hashable, Sendable {
    /// `Sun Nov  6 07:49:04 2022.csv`: on the station's clocks, as C's `asctime` writes it.
    case seed
    /// `20221106T074904Z.csv`: ISO 8601 in its basic form, in UTC.
    case iso
}

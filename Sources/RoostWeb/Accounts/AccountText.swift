import Core

/// Times of accounts as text.
enum AccountText {
    static func date(_ seconds: Int64) -> String {
        // Values out of range become the last possible date.
        let (nanoseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return WallTime(nanoseconds: isTooLarge ? .max : nanoseconds).iso8601
    }
}

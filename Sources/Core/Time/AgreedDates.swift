/// Start of an age, as several dates of a trusted clock agree on it.
///
/// An age counts the time that a machine ran; only a clock knows how long it was off. A time server
/// or a person can be wrong for a day, and what has ended for its age does not come back: so the
/// dates of two days of running decide together, and of those the one by which the age is least.
package struct AgreedDates: Hashable, Sendable {
    /// Seconds of running over which dates decide together: longer than a wrong day.
    package static let agreement: Int64 = 2 * 86_400

    /// The dates of age 0 that the last while meant, in seconds since 1970.
    package struct Span: Hashable, Sendable {
        package private(set) var low: Int64
        package private(set) var high: Int64
        /// The age at which the while began.
        package let since: Int64

        package init(low: Int64, high: Int64, since: Int64) {
            (self.low, self.high, self.since) = (low, high, since)
        }

        fileprivate mutating func add(_ birth: Int64) {
            (low, high) = (min(low, birth), max(high, birth))
        }
    }

    /// The date of age 0 that was agreed on.
    package private(set) var birth: Int64?
    package private(set) var span: Span?

    package init(birth: Int64? = nil, span: Span? = nil) { (self.birth, self.span) = (birth, span) }

    /// Adds a date without deciding.
    ///
    /// - Parameters:
    ///   - date: Seconds since 1970.
    ///   - age: Then, in seconds.
    package mutating func add(_ date: Int64, at age: Int64) {
        let (birth, isBeyond) = date.subtractingReportingOverflow(age)
        guard !isBeyond else { return }
        if span == nil { span = Span(low: birth, high: birth, since: age) }
        span?.add(birth)
    }

    /// The least date that those of two days mean; nil before they are of so many.
    ///
    /// The birth is the later one at first, by which an age is least and a date is too high.
    ///
    /// - Parameter age: Now, in seconds.
    /// - Returns: Seconds since 1970.
    package func leastDate(at age: Int64) -> Int64? {
        guard let span, age - span.since >= Self.agreement else { return nil }
        let (date, isBeyond) = span.low.addingReportingOverflow(age)
        return isBeyond ? nil : date
    }

    /// Decides, once the dates are of two days.
    ///
    /// - Parameter age: Now, in seconds.
    /// - Returns: Seconds that the machine was off, by which the age is more.
    package mutating func settle(at age: Int64) -> Int64 {
        guard let all = span, age - all.since >= Self.agreement else { return 0 }
        span = nil
        if let known = birth, all.low > known { return all.low - known }
        birth = min(birth ?? .max, all.high)
        return 0
    }
}

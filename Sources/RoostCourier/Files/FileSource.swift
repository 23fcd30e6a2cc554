/// A file that can be made: its time is over, and all its samples are dated and can be read.
package struct PlannedFile: Hashable, Sendable {
    package let period: FilePeriod
    /// Seconds since 1970 that the file covers, without the last.
    package let range: Range<Int>
    /// Name with `.csv`, without the folder.
    package let name: String

    package init(_ period: FilePeriod, _ range: Range<Int>, name: String) {
        (self.period, self.range, self.name) = (period, range, name)
    }

    /// Identity of a file: the same when it is made again.
    struct Place: Hashable, Sendable {
        let period: FilePeriod
        let from: Int

        var range: Range<Int> { from..<(from + period.seconds) }
    }

    var place: Place { Place(period: period, from: range.lowerBound) }

    /// Path, such as `hourly/Sun Nov  6 07:49:04 2022.csv`.
    package var path: String { "\(period.rawValue)/\(name)" }
}

/// Maker of files from the recorded samples.
///
/// Times are seconds since 1970, and windows of all periods begin at `origin`. A file of one
/// period and range always has the same bytes and the same name.
package protocol FileSource: Sendable {
    /// Returns the time range in which all samples are recorded, dated and readable.
    ///
    /// - Returns: nil while nothing is dated.
    /// - Throws: Errors of reading the store.
    func extent() async throws -> Range<Int>?

    /// The first file of a period at or after a time that is over at the extent's end.
    ///
    /// A window without a row has no file, nor has one whose beginning the ring has overwritten.
    ///
    /// - Parameters:
    ///   - start: The beginning of a window.
    ///   - origin: Where the first window begins.
    /// - Returns: nil when there is none yet.
    /// - Throws: Errors of reading the store.
    func next(_ period: FilePeriod, from start: Int, origin: Int) async throws -> PlannedFile?

    /// Counts the dated samples in a time that can be read and go into files.
    ///
    /// - Throws: Errors of reading the store.
    func count(_ range: Range<Int>) async throws -> Int

    /// Makes one piece of a file's bytes.
    ///
    /// - Parameters:
    ///   - number: From 0 on.
    ///   - origin: Where the first window begins.
    /// - Returns: nil after the last; a piece may be empty.
    /// - Throws: Errors of reading the store.
    func piece(_ number: Int, of file: PlannedFile, origin: Int) async throws -> [UInt8]?
}

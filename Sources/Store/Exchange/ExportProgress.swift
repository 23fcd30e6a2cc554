/// How far an export or import has come; with the total it gives a percentage.
package struct ExportProgress: Hashable, Sendable {
    /// Samples read from the source.
    package internal(set) var samples = 0
    /// Rows or objects written.
    package internal(set) var rows = 0
    package internal(set) var bytes = 0
    /// Files finished, of formats that write several.
    package internal(set) var files = 0
    /// Samples that the format has no place for: without a value, a date, or of another device.
    package internal(set) var skipped = 0

    package init() {}

    /// Samples between two calls of a progress closure.
    package static let step = 10_000
}

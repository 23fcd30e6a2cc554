import Core
import HardwareIO
import Profiles

/// Dialect of any instrument that sends lines of text, which its profile describes.
///
/// Without a checksum and a fixed beginning two bytes lost can make a line that looks right, so a
/// profile should give both where the instrument has them, and narrow ranges where it has not.
package struct LineDeviceDialect: SensorDialect {
    package let quantities: [Quantity]
    package let rhythm: SensorRhythm
    package let burst: SensorBurst?
    private let format: LineFormat
    private var scanner: LineScanner

    /// Creates the dialect that the profile describes.
    ///
    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(_ profile: Profile) throws(DialectError) {
        format = try LineFormat(profile)
        (quantities, burst) = (format.quantities, format.burst)
        rhythm =
            format.query == nil
            ? .streams(every: format.interval) : .answers(atMostEvery: format.interval)
        // A line joined in its middle may have the right number of fields by chance.
        scanner = LineScanner(
            limit: LineFormat.lineLimit,
            skipsFirst: format.query == nil && format.prefix.isEmpty
        )
    }

    /// The shortest line there can be, of which the end is not known.
    package var missingByteCount: Int { min(255, 2 * format.fields.count + format.prefix.count) }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        let format = format
        scanner.scan(bytes) { line in
            guard let line else { return body(.rejected("a line that is too long")) }
            switch format.read(line) {
            case .success(let outcomes): body(.measurement(outcomes, id: nil))
            case .failure(let flaw): body(.rejected(flaw.words))
            }
        }
    }

    /// Without a prefix, the tail of a cut line may have the right number of fields.
    package mutating func loseInput(isCut: Bool) {
        scanner.restart(skipsFirst: isCut && format.query == nil && format.prefix.isEmpty)
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        guard act == .measure, let query = format.query else { return [] }
        return [SensorCommand("ask for a line", query)]
    }

    /// No questions: the query might do anything to an unknown device, so it proves nothing.
    package var questions: [SensorCommand] { [] }
}

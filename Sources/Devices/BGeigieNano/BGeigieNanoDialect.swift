import Core
import HardwareIO

/// Safecast's bGeigie: a radiation counter that writes one log line every five seconds.
///
/// `BGeigieRecord` is the line.
///
/// - Source: `bidouilles/bGeigieNano`, README; `Safecast/safecastapi:app/models/bgeigie_import.rb`.
package struct BGeigieNanoDialect: SensorDialect {
    package let quantities = [Quantity.countRate, .latitude, .longitude, .altitude]
    package let rhythm = SensorRhythm.streams(every: .seconds(5))
    private var scanner = LineScanner(limit: BGeigieRecord.byteLimit, skipsFirst: false)

    package init() { scanner.hasRecords = true }

    /// A line is about 85 bytes and its length is not known before its end.
    package var missingByteCount: Int { 60 }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        scanner.scan(bytes) { line in
            guard let line else { return body(.rejected("a line that is too long")) }
            // Comments and the tail of a line joined in its middle are not its fault.
            guard line.first == UInt8(ascii: "$") else { return }
            do throws(BGeigieRecord.Flaw) {
                let record = try BGeigieRecord(line)
                body(.measurement(Self.outcomes(record), id: record.device))
            } catch {
                body(.rejected(error.rawValue))
            }
        }
    }

    package mutating func loseInput(isCut: Bool) { scanner.restart(skipsFirst: false) }

    package func commands(for act: SensorAct) -> [SensorCommand] { [] }
    package var questions: [SensorCommand] { [] }

    /// Void until the first whole minute has been counted; without a fix no place has a value.
    private static func outcomes(_ record: BGeigieRecord) -> [Outcome] {
        let counts = Outcome.value(FixedPoint(Int64(record.rate), decimals: 0))
        let place = [record.latitude.degrees, record.longitude.degrees, record.altitude]
        return [record.isCounting ? counts : .noData(.warmingUp)]
            + place.map { record.hasFix ? .value($0) : .noData(.noFix) }
    }
}

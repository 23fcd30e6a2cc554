import Core
import HardwareIO

/// Safecast's bGeigie: a radiation counter that writes one log line every five seconds.
///
/// `BGeigieRecord` is the line. With a fix it has the time of its receiver.
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
                if let wall = Self.wall(record) { body(.time(wall)) }
            } catch {
                body(.rejected(error.rawValue))
            }
        }
    }

    package mutating func loseInput(isCut: Bool) { scanner.restart(skipsFirst: false) }

    package func commands(for act: SensorAct) -> [SensorCommand] { [] }
    package var questions: [SensorCommand] { [] }

    /// Devices with a position receiver; others write a position and a flag that were typed in.
    private static let receivers: Set = ["BMRDD", "BGRDD", "BNRDD", "BNXRDD", "BZRDD"]

    /// The time of a line, right within a second.
    ///
    /// In it are the whole seconds of the receiver's last sentence, and it comes up to a second
    /// and a half later: half a second is added.
    private static func wall(_ record: BGeigieRecord) -> WallTime? {
        guard record.hasFix, receivers.contains(record.header) else { return nil }
        return GPSDReport.wall(Array(record.time.utf8))?.advanced(by: .milliseconds(500))
    }

    /// Void until the first whole minute has been counted; without a fix no place has a value.
    private static func outcomes(_ record: BGeigieRecord) -> [Outcome] {
        let counts = Outcome.value(FixedPoint(Int64(record.rate), decimals: 0))
        let place = [record.latitude.degrees, record.longitude.degrees, record.altitude]
        return [record.isCounting ? counts : .noData(.warmingUp)]
            + place.map { record.hasFix ? .value($0) : .noData(.noFix) }
    }
}

import Core
import HardwareIO

/// A receiver of satellite navigation that writes NMEA 0183: where it is, once a second.
///
/// A position is made of one second's GGA and RMC, and of the last GSA. It has a value only if all
/// of them that the receiver sends call it a fix with satellites: `accuracy` is 6 m × HDOP, the
/// altitude needs a fix with height. A receiver that sends no RMC gives its position one second
/// later. An RMC with a fix, and what gpsd says of one, tell the time.
///
/// - Source: `NMEASentence`.
package struct NMEAReceiverDialect: SensorDialect {
    package let quantities = [Quantity.latitude, .longitude, .altitude, .accuracy]
    package let rhythm = SensorRhythm.streams(every: .seconds(1))
    private var scanner = LineScanner(limit: NMEASentence.byteLimit, skipsFirst: false)
    private var fix: NMEASentence.Fix?
    private var validity: (time: String, isValid: Bool)?
    /// 0 before the first GSA.
    private var dimensions = 0

    package init() {
        // Lines that begin with a brace are gpsd's own reports, in JSON.
        scanner.passedOver = UInt8(ascii: "{")
        scanner.asideLimit = GPSDReport.byteLimit
        scanner.hasRecords = true
    }

    /// The sentences of a second have some 400 bytes; a position needs at least two sentences.
    ///
    /// After a GGA an RMC is missing, which has 25 bytes where the receiver knows nothing.
    package var missingByteCount: Int { fix == nil ? 60 : 25 }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        var lines: [ArraySlice<UInt8>?] = []
        scanner.scan(bytes) { lines.append($0) }
        for line in lines {
            guard let line else {
                body(.rejected("a line that is too long"))
                continue
            }
            if line.first == UInt8(ascii: "{") {
                if let wall = GPSDReport.time(line) { body(.time(wall)) }
                continue
            }
            // Binary messages of the maker, and the tail of a line joined in its middle.
            guard line.first == UInt8(ascii: "$") else { continue }
            do throws(NMEASentence.Flaw) {
                apply(try NMEASentence(line), body)
            } catch {
                body(.rejected(error.rawValue))
            }
        }
    }

    package mutating func loseInput(isCut: Bool) { scanner.restart(skipsFirst: false) }

    package func commands(for act: SensorAct) -> [SensorCommand] { [] }
    package var questions: [SensorCommand] { [] }

    /// A receiver that stands still reports the same values for hours.
    package func doubtLimits(isLive: Bool) -> SensorDoubt.Limits {
        SensorDoubt.Limits(unchanging: .max, stuck: .max, zeros: .max)
    }

    private mutating func apply(_ sentence: NMEASentence, _ body: (SensorUtterance) -> Void) {
        switch sentence {
        case .gga(let next):
            // One of an earlier second that no RMC followed.
            if let fix { emit(fix, body) }
            fix = next
        case .rmc(let time, let isValid, let wall):
            validity = (time, isValid)
            if let wall { body(.time(wall)) }
        case .gsa(let dimensions): self.dimensions = dimensions
        case .other: return
        }
        if let fix, let validity, fix.time == validity.time { emit(fix, body) }
    }

    private mutating func emit(_ found: NMEASentence.Fix, _ body: (SensorUtterance) -> Void) {
        let isValid = validity.map { $0.time != found.time || $0.isValid } ?? true
        (fix, validity) = (nil, nil)
        let isFix = NMEASentence.fixes.contains(found.quality)
        guard isFix, isValid, dimensions != 1, let latitude = found.latitude,
            let longitude = found.longitude
        else {
            return body(.measurement(Array(repeating: .noData(.noFix), count: 4), id: nil))
        }
        let altitude = dimensions == 2 ? nil : found.altitude.flatMap { Self.rounded($0) }
        let radius = found.dilution.flatMap { dilution in
            Self.rounded(FixedPoint(dilution.mantissa * 6, decimals: dilution.decimals))
        }
        let rest = [altitude, radius].map { value in
            value.map { Outcome.value($0) } ?? .noData(.noFix)
        }
        body(.measurement([.value(latitude), .value(longitude)] + rest, id: nil))
    }

    /// Rounds to two decimals, halves away from zero.
    private static func rounded(_ value: FixedPoint) -> FixedPoint? {
        guard let units = value.mantissa(atDecimals: 4) else { return nil }
        let rounded = (abs(units) + 50) / 100
        return FixedPoint(units < 0 ? -rounded : rounded, decimals: 2)
    }
}

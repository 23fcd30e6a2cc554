/// Delivery progress of a target of files, as bytes that the station keeps for it.
///
/// Version 2 (1 is `OutboxCursor`), all numbers unsigned LEB128: the version, origin, periods
/// (count; then number in `FilePeriod.allCases`, settled and seen as seconds after the origin,
/// whether some expired, waiting, delivered files and samples, reasons as count, then number in
/// `LeftOut.allCases`, files and samples). Where files are tried again by themselves they follow
/// (count; then number of the period, and seconds after the origin). At most 884 bytes with every
/// number at its largest.
package struct FileCursor: Hashable, Sendable {
    private static let version: UInt64 = 2

    /// Seconds since 1970 at which the first window begins; file names depend on it for ever.
    package var origin: Int
    package var marks: [FilePeriod: FilePeriodCursor]

    package init(origin: Int, marks: [FilePeriod: FilePeriodCursor]) {
        (self.origin, self.marks) = (origin, marks)
    }

    /// The bytes, fewer than `OutboxCursor.byteLimit`.
    package func encode() -> [UInt8] {
        var out = VarintWriter()
        func append(_ value: Int) { out.append(UInt64(max(value, 0))) }
        append(Int(Self.version))
        append(origin)
        let periods = FilePeriod.allCases.enumerated().filter { marks[$0.element] != nil }
        append(periods.count)
        for (number, period) in periods {
            guard let mark = marks[period] else { continue }
            append(number)
            append(mark.settled - origin)
            append(mark.seen - origin)
            append(mark.hasExpired ? 1 : 0)
            append(mark.waiting)
            append(mark.delivered.files)
            append(mark.delivered.samples)
            let reasons = LeftOut.allCases.enumerated().filter { mark.leftOut[$0.element] != nil }
            append(reasons.count)
            for (number, reason) in reasons {
                append(number)
                append(mark.leftOut[reason]?.files ?? 0)
                append(mark.leftOut[reason]?.samples ?? 0)
            }
        }
        let asides = periods.flatMap { number, period in
            (marks[period]?.asides ?? []).map { (number, $0) }
        }
        if !asides.isEmpty { append(asides.count) }
        for (number, from) in asides {
            append(number)
            append(from - origin)
        }
        return out.bytes
    }

    /// Reads a cursor.
    package init(_ bytes: [UInt8]) throws(OutboxCursorError) {
        var input = VarintReader(bytes)
        let version = try input.next()
        guard version == Self.version else { throw .otherVersion(version) }
        let origin = try input.count(below: Int(UInt32.max))
        var marks: [FilePeriod: FilePeriodCursor] = [:]
        for _ in 0..<(try input.count(below: FilePeriod.allCases.count)) {
            let number = try input.count(below: FilePeriod.allCases.count - 1)
            var mark = FilePeriodCursor(from: origin + (try input.count(below: Int(UInt32.max))))
            mark.seen = origin + (try input.count(below: Int(UInt32.max)))
            mark.hasExpired = try input.count(below: 1) == 1
            mark.waiting = try input.count(below: .max)
            mark.delivered.files = try input.count(below: .max)
            mark.delivered.samples = try input.count(below: .max)
            for _ in 0..<(try input.count(below: LeftOut.allCases.count)) {
                let number = try input.count(below: LeftOut.allCases.count - 1)
                mark.leftOut[LeftOut.allCases[number]] = FilePeriodCursor.Count(
                    files: try input.count(below: .max),
                    samples: try input.count(below: .max)
                )
            }
            marks[FilePeriod.allCases[number]] = mark
        }
        if !input.isAtEnd {
            let count = try input.count(below: ItemAsides<PlannedFile.Place>.limit)
            for _ in 0..<count {
                let number = try input.count(below: FilePeriod.allCases.count - 1)
                let from = origin + (try input.count(below: Int(UInt32.max)))
                marks[FilePeriod.allCases[number]]?.asides.append(from)
            }
            guard count > 0 else { throw .malformed }
        }
        guard input.isAtEnd else { throw .malformed }
        self.init(origin: origin, marks: marks)
    }
}

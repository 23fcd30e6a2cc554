/// Delivery progress of a target of files, as bytes that the station keeps for it.
///
/// Times are seconds after the origin. Where files are tried again by themselves they follow. At
/// most 884 bytes with every number at its largest.
struct FileCursor: Hashable, Sendable {
    /// Seconds since 1970 at which the first window begins; file names depend on it for ever.
    var origin: Int
    var marks: [FilePeriod: FilePeriodCursor]

    init(origin: Int, marks: [FilePeriod: FilePeriodCursor]) {
        (self.origin, self.marks) = (origin, marks)
    }
}

extension FileCursor: DeliveryCursor {
    static var kind: CursorKind { .files }

    init() { self.init(origin: 0, marks: [:]) }

    mutating func code(_ fields: inout CursorFields) {
        let last = Int(UInt32.max)
        fields.number(&origin, upTo: last)
        let origin = origin
        let all = FilePeriod.allCases
        var periods = all.compactMap { period in marks[period].map { (period, $0) } }
        var asides = periods.flatMap { period, mark in mark.asides.map { (period, $0) } }
        let empty = (FilePeriod.hourly, FilePeriodCursor(from: origin))
        fields.list(&periods, upTo: all.count, empty) { fields, entry in
            fields.choice(&entry.0)
            fields.number(&entry.1.settled, from: origin, upTo: last)
            fields.number(&entry.1.seen, from: origin, upTo: last)
            fields.flag(&entry.1.hasExpired)
            fields.number(&entry.1.waiting)
            fields.count(&entry.1.delivered)
            fields.reasons(&entry.1.leftOut, .init()) { $0.count(&$1) }
        }
        let limit = ItemAsides<PlannedFile.Place>.limit
        fields.lastList(&asides, upTo: limit, (.hourly, origin)) { fields, aside in
            fields.choice(&aside.0)
            fields.number(&aside.1, from: origin, upTo: last)
        }
        guard fields.isReading else { return }
        marks = Dictionary(periods) { $1 }
        for (period, from) in asides { marks[period]?.asides.append(from) }
    }
}

import Core

/// Delivery progress of one target of samples, as bytes that the station keeps for it.
///
/// Its fields are delivered, reasons (count, then reason and number), boots (count, then 16 bytes
/// each), streams (count; then id, flags, settled, seen and begin as boot index and tick where the
/// flags 1, 2 and 4 say so, waiting, ranges as boot index, two ticks and count). Where single
/// samples are tried again by themselves they follow (count; then stream, boot index and tick).
struct OutboxCursor: Hashable, Sendable {
    /// Bytes that the station keeps for one target.
    static let byteLimit = 1_024
    /// Size above which delivery at most once waits its turn: numbers grow until it comes.
    private static let aheadLimit = 768
    var marks: [StreamID: StreamCursor]
    var totals: OutboxTotals
    /// Refused samples that are tried again by themselves.
    var asides: [RefusedSample] = []

    init(marks: [StreamID: StreamCursor] = [:], totals: OutboxTotals = OutboxTotals()) {
        (self.marks, self.totals) = (marks, totals)
    }

    /// Encodes the cursor in at most `byteLimit` bytes.
    ///
    /// Where it does not fit, the begins are left out, then the samples tried again by themselves,
    /// then ranges, oldest first.
    ///
    /// Without its begin, a stream counts as settled up to where the target was added. Samples of a
    /// dropped range wait again, and are sent twice at worst; where that is forbidden, `OutboxTask`
    /// sends no more ahead than fits.
    ///
    /// - Throws: `CursorError.tooManyStreams` when streams alone do not fit.
    func encode() throws(CursorError) -> [UInt8] {
        var shorter = self
        while true {
            let bytes = shorter.written()
            if bytes.count <= Self.byteLimit { return bytes }
            if shorter.marks.values.contains(where: { $0.begin != nil }) {
                for stream in shorter.marks.keys { shorter.marks[stream]?.begin = nil }
                continue
            }
            guard shorter.asides.isEmpty else {
                shorter.asides = []
                continue
            }
            let widest = shorter.marks.filter { !$0.value.ranges.isEmpty }
            guard let stream = widest.keys.min(), var mark = shorter.marks[stream] else {
                throw .tooManyStreams(marks.count)
            }
            let range = mark.ranges.removeFirst()
            mark.waiting += range.count
            shorter.totals.delivered -= min(range.count, shorter.totals.delivered)
            shorter.marks[stream] = mark
        }
    }

    /// Whether all ranges will fit until the last of the older samples is settled.
    var hasRoomAhead: Bool {
        var later = self
        for (stream, mark) in marks { later.marks[stream]?.settled = mark.settled ?? mark.seen }
        return later.keepsRanges(in: Self.aheadLimit)
    }

    /// Whether the cursor fits in so many bytes with all its ranges.
    func keepsRanges(in limit: Int) -> Bool {
        var shorter = self
        for stream in marks.keys { shorter.marks[stream]?.begin = nil }
        return shorter.written().count <= limit
    }

    /// Reads a cursor.
    ///
    /// - Parameters:
    ///   - number: The number of a boot in the store; nil when the store has it no more, and
    ///     everything of it is gone.
    init(_ bytes: [UInt8], number: (BootID) -> Int?) throws(CursorError) {
        self.init()
        try read(bytes) { $0.code(&$1, number) }
    }
}

extension OutboxCursor: DeliveryCursor {
    static var kind: CursorKind { .samples }

    init() { self.init(marks: [:]) }

    mutating func code(_ fields: inout CursorFields) { code(&fields) { _ in nil } }

    private mutating func code(_ fields: inout CursorFields, _ number: (BootID) -> Int?) {
        fields.number(&totals.delivered)
        totals.leftOut = totals.leftOut.filter { $0.value > 0 }
        fields.reasons(&totals.leftOut, 0) { $0.number(&$1) }
        let noBoot = BootID(bytes: Array(repeating: 0, count: 16))
        let nowhere = OutboxPosition(boot: noBoot, bootNumber: 0, tick: Tick(tenths: 0))
        var boots = boots
        fields.list(&boots, upTo: Self.byteLimit / 16, noBoot) { $0.boot(&$1) }
        let known = boots
        func codePlace(_ fields: inout CursorFields, _ place: inout OutboxPosition) {
            var (index, tick) = (known.firstIndex(of: place.boot) ?? 0, place.tick.tenths)
            fields.number(&index, upTo: known.count - 1)
            fields.number(&tick)
            guard fields.isReading, !fields.isMalformed else { return }
            let (boot, at) = (known[index], Tick(tenths: tick))
            place = OutboxPosition(boot: boot, bootNumber: number(boot) ?? 0, tick: at)
        }
        var streams = marks.sorted { $0.key < $1.key }.map { (id: $0.key.rawValue, mark: $0.value) }
        fields.list(&streams, upTo: Self.byteLimit, (0, StreamCursor())) { fields, stream in
            fields.number(&stream.id)
            let places = [\StreamCursor.settled, \.seen, \.begin]
            var flags = 0
            for (bit, place) in places.enumerated() where stream.mark[keyPath: place] != nil {
                flags |= 1 << bit
            }
            fields.number(&flags)
            for (bit, place) in places.enumerated() where flags & (1 << bit) != 0 {
                var found = stream.mark[keyPath: place] ?? nowhere
                codePlace(&fields, &found)
                stream.mark[keyPath: place] = found
            }
            fields.number(&stream.mark.waiting)
            let empty = OutboxRange(from: nowhere, to: nowhere, count: 0)
            fields.list(&stream.mark.ranges, upTo: StreamCursor.rangeLimit, empty) {
                codePlace(&$0, &$1.from)
                var end = $1.to.tick.tenths
                $0.number(&end, from: $1.from.tick.tenths)
                let (boot, number) = ($1.from.boot, $1.from.bootNumber)
                $1.to = OutboxPosition(boot: boot, bootNumber: number, tick: Tick(tenths: end))
                $0.number(&$1.count)
            }
        }
        marks = Dictionary(streams.map { (StreamID($0.id), $0.mark) }) { $1 }
        let empty = RefusedSample(stream: StreamID(0), place: nowhere)
        fields.lastList(&asides, upTo: OutboxRefusals.asideLimit, empty) {
            var (id, place) = ($1.stream.rawValue, $1.place)
            $0.number(&id)
            codePlace(&$0, &place)
            $1 = RefusedSample(stream: StreamID(id), place: place)
        }
    }

    /// The boots of all places, in the order of their ids.
    private var boots: [BootID] {
        let places = marks.values.flatMap { mark in
            [mark.settled, mark.seen, mark.begin].compactMap(\.self) + mark.ranges.map(\.from)
        }
        let all = Set((places + asides.map(\.place)).map(\.boot))
        return all.sorted { $0.description < $1.description }
    }
}

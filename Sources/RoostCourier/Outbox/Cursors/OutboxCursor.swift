import Core

/// Delivery progress of one target of samples, as bytes that the station keeps for it.
///
/// Version 1 (2 is `FileCursor`), all numbers unsigned LEB128: the version, delivered, reasons
/// (count, then reason and number), boots (count, then 16 bytes each), streams (count; then id,
/// flags, settled, seen and begin as boot index and tick where the flags 1, 2 and 4 say so,
/// waiting, ranges as boot index, two ticks and count). Where single samples are tried again by
/// themselves they follow (count; then stream, boot index and tick). Reasons are numbers of
/// `LeftOut.allCases`, which only grows at its end.
package struct OutboxCursor: Hashable, Sendable {
    /// Bytes that the station keeps for one target.
    package static let byteLimit = 1_024
    /// Size above which delivery at most once waits its turn: numbers grow until it comes.
    private static let aheadLimit = 768
    private static let version: UInt64 = 1

    package var marks: [StreamID: StreamCursor]
    package var totals: OutboxTotals
    /// Refused samples that are tried again by themselves.
    package var asides: [RefusedSample] = []

    package init(marks: [StreamID: StreamCursor] = [:], totals: OutboxTotals = OutboxTotals()) {
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
    /// - Throws: `OutboxCursorError.tooManyStreams` when streams alone do not fit.
    package func encode() throws(OutboxCursorError) -> [UInt8] {
        var shorter = self
        while true {
            let bytes = shorter.bytes
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
    package var hasRoomAhead: Bool {
        var later = self
        for (stream, mark) in marks { later.marks[stream]?.settled = mark.settled ?? mark.seen }
        return later.keepsRanges(in: Self.aheadLimit)
    }

    /// Whether the cursor fits in so many bytes with all its ranges.
    package func keepsRanges(in limit: Int) -> Bool {
        var shorter = self
        for stream in marks.keys { shorter.marks[stream]?.begin = nil }
        return shorter.bytes.count <= limit
    }

    private var bytes: [UInt8] {
        var out = VarintWriter()
        out.append(Self.version)
        out.append(UInt64(totals.delivered))
        let reasons = LeftOut.allCases.enumerated().filter { totals.leftOut[$0.element] ?? 0 > 0 }
        out.append(UInt64(reasons.count))
        for (number, reason) in reasons {
            out.append(UInt64(number))
            out.append(UInt64(totals.leftOut[reason] ?? 0))
        }
        let places = marks.values.flatMap { mark in
            [mark.settled, mark.seen, mark.begin].compactMap(\.self) + mark.ranges.map(\.from)
        }
        let all = places + asides.map(\.place)
        let boots = Set(all.map(\.boot)).sorted { $0.description < $1.description }
        out.append(UInt64(boots.count))
        for boot in boots { out.bytes += boot.bytes }
        let index = Dictionary(uniqueKeysWithValues: boots.enumerated().map { ($1, UInt64($0)) })
        func append(_ place: OutboxPosition) {
            out.append(index[place.boot] ?? 0)
            out.append(UInt64(max(place.tick.tenths, 0)))
        }
        out.append(UInt64(marks.count))
        for (stream, mark) in marks.sorted(by: { $0.key < $1.key }) {
            out.append(UInt64(stream.rawValue))
            let places = [mark.settled, mark.seen, mark.begin]
            let flags = places.enumerated().map { $1 == nil ? 0 : UInt64(1) << $0 }
            out.append(flags.reduce(0, |))
            for place in places.compactMap(\.self) { append(place) }
            out.append(UInt64(mark.waiting))
            out.append(UInt64(mark.ranges.count))
            for range in mark.ranges {
                append(range.from)
                out.append(UInt64(max(range.to.tick.tenths - range.from.tick.tenths, 0)))
                out.append(UInt64(range.count))
            }
        }
        if !asides.isEmpty { out.append(UInt64(asides.count)) }
        for sample in asides {
            out.append(UInt64(sample.stream.rawValue))
            append(sample.place)
        }
        return out.bytes
    }

    /// Reads a cursor.
    ///
    /// - Parameters:
    ///   - number: The number of a boot in the store; nil when the store has it no more, and
    ///     everything of it is gone.
    package init(
        _ bytes: [UInt8],
        number: (BootID) -> Int?
    ) throws(OutboxCursorError) {
        var input = VarintReader(bytes)
        let version = try input.next()
        guard version == Self.version else { throw .otherVersion(version) }
        var totals = OutboxTotals()
        totals.delivered = try input.count(below: .max)
        for _ in 0..<(try input.count(below: LeftOut.allCases.count)) {
            let number = try input.count(below: LeftOut.allCases.count - 1)
            totals.leftOut[LeftOut.allCases[number]] = try input.count(below: .max)
        }
        var boots: [(BootID, Int)] = []
        for _ in 0..<(try input.count(below: Self.byteLimit / 16)) {
            let boot = BootID(bytes: try input.read(16))
            boots.append((boot, number(boot) ?? 0))
        }
        func place() throws(OutboxCursorError) -> OutboxPosition {
            let index = try input.count(below: boots.count - 1)
            let tick = Tick(tenths: Int64(try input.count(below: .max)))
            return OutboxPosition(boot: boots[index].0, bootNumber: boots[index].1, tick: tick)
        }
        var marks: [StreamID: StreamCursor] = [:]
        for _ in 0..<(try input.count(below: Self.byteLimit)) {
            let stream = StreamID(UInt16(try input.count(below: Int(UInt16.max))))
            let flags = try input.next()
            var mark = StreamCursor()
            if flags & 1 != 0 { mark.settled = try place() }
            if flags & 2 != 0 { mark.seen = try place() }
            if flags & 4 != 0 { mark.begin = try place() }
            mark.waiting = try input.count(below: .max)
            for _ in 0..<(try input.count(below: StreamCursor.rangeLimit)) {
                let from = try place()
                let length = Int64(try input.count(below: .max))
                let end = Tick(
                    tenths: from.tick.tenths.addingReportingOverflow(length).partialValue
                )
                guard end >= from.tick else { throw .malformed }
                let to = OutboxPosition(boot: from.boot, bootNumber: from.bootNumber, tick: end)
                let count = try input.count(below: .max)
                mark.ranges.append(OutboxRange(from: from, to: to, count: count))
            }
            marks[stream] = mark
        }
        self.init(marks: marks, totals: totals)
        guard !input.isAtEnd else { return }
        for _ in 0..<(try input.count(below: OutboxRefusals.asideLimit)) {
            let stream = StreamID(UInt16(try input.count(below: Int(UInt16.max))))
            asides.append(RefusedSample(stream: stream, place: try place()))
        }
        guard input.isAtEnd else { throw .malformed }
    }
}

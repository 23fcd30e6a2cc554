import Core

/// Reads what `SegmentEncoder` wrote, row by row or many rows at a time.
///
/// For any bytes the result is rows or a `CodecError`, in time bounded by the number of rows
/// claimed (at most 2²⁰) and of bytes.
package struct SegmentDecoder: Sendable {
    /// Rows in the segment.
    package let count: Int
    package let start: Tick
    /// Decimals of each channel, as given to the encoder.
    package let decimals: [Int]

    private var bytes: [UInt8]  // With padding, so that a row can be read without looking.
    private let byteCount: Int
    private var row = 0
    private var tick: Int64
    private var statuses: [ChannelStatus]
    private var states: [SegmentChannelState]
    private var lead = SegmentNeighbour()

    private var tempo = SegmentTempo()
    private var tempoModel = SegmentModel()
    private var lastResidual = SegmentNeighbour()
    private var isJittering = false
    private var intervalOnce: Int64?

    private var exceptionOffset: Int
    private let exceptionEnd: Int
    private var exceptionRow = 0
    private var pendingOperation: SegmentFormat.Operation?
    private var cursor: SegmentCursor

    private var rows = SegmentRows()
    private var rowsTaken = 0
    /// Whether the bits of the values are passed over: where the times have no bits among them.
    private var isTimesOnly = false

    /// More than the bits of one row of 16 channels and its time: 17 × 80.
    private static let padding = 192

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - isTimesOnly: Whether times and kinds of outcomes are enough; values then mean nothing,
    ///     and damage among them is not found.
    /// - Throws: `CodecError`, also when the segment was written for other decimals.
    package init(
        _ bytes: [UInt8],
        decimals: [Int],
        isTimesOnly: Bool = false
    ) throws(CodecError) {
        let header = try SegmentHeader(bytes)
        guard header.decimals == decimals else { throw CodecError(.otherChannels, at: 1) }
        self.decimals = decimals
        count = header.count
        start = Tick(tenths: header.start)
        tick = header.start
        byteCount = bytes.count
        self.bytes = bytes + [UInt8](repeating: 0, count: Self.padding)
        statuses = decimals.map { .values(decimals: $0, []) }
        states = header.firstValues.map { SegmentChannelState(previous: $0) }
        exceptionOffset = header.exceptions.lowerBound
        exceptionEnd = header.exceptions.upperBound
        cursor = SegmentCursor(position: header.exceptions.upperBound * 8)
        try readExceptionHead()
        self.isTimesOnly = isTimesOnly && !hasJitter
    }

    /// Whether times are among the values, so that all of them have to be read.
    private var hasJitter: Bool {
        var copy = self
        while let operation = copy.pendingOperation {
            guard operation != .beginJitter, (try? copy.apply(operation)) != nil else {
                return true
            }
        }
        return false
    }

    /// The next row, or nil after the last.
    package mutating func next() throws(CodecError) -> (Tick, [Outcome])? {
        if rowsTaken == rows.count {
            var piece = SegmentRows()
            swap(&piece, &rows)
            defer { swap(&piece, &rows) }
            rowsTaken = 0
            guard try nextRows(into: &piece) else { return nil }
        }
        defer { rowsTaken += 1 }
        return (rows.tick(rowsTaken), rows.outcomes(rowsTaken))
    }

    /// The next rows, as many as have the same statuses and fit; false after the last.
    ///
    /// Use it or `next()`, not both. `rows` allocates the first time only.
    ///
    /// - Throws: `CodecError` at the first byte that makes no sense, and when bytes are left over.
    package mutating func nextRows(into rows: inout SegmentRows) throws(CodecError) -> Bool {
        rows.removeAll()
        guard row < count else {
            try checkEnd()
            return false
        }
        while let operation = pendingOperation, exceptionRow == row { try apply(operation) }
        let next = pendingOperation == nil ? count : exceptionRow
        let wanted = isTimesOnly ? next - row : min(next - row, SegmentRows.capacity)
        rows.prepare(statuses)
        try decode(wanted, into: &rows)
        rows.count = wanted
        row += wanted
        return true
    }
}

// MARK: - Exceptions

extension SegmentDecoder {
    private mutating func readExceptionHead() throws(CodecError) {
        guard exceptionOffset < exceptionEnd else {
            pendingOperation = nil
            return
        }
        let offset = exceptionOffset
        let head = try Varint.read(bytes, at: &exceptionOffset, before: exceptionEnd)
        let code = UInt8(head & 7)
        guard let operation = SegmentFormat.Operation(rawValue: code) else {
            throw CodecError(.unknownCode(code), at: offset)
        }
        guard head >> 3 < UInt64(count - exceptionRow) else {
            throw CodecError(.outOfRange, at: offset)
        }
        exceptionRow += Int(head >> 3)
        pendingOperation = operation
    }

    private mutating func apply(_ operation: SegmentFormat.Operation) throws(CodecError) {
        switch operation {
        case .intervalOnce: intervalOnce = try readInterval()
        case .intervalFromNow: tempo.set(try readInterval())
        case .beginJitter:
            guard !isJittering else { throw CodecError(.unexpected, at: exceptionOffset - 1) }
            isJittering = true
        case .endJitter:
            guard isJittering else { throw CodecError(.unexpected, at: exceptionOffset - 1) }
            isJittering = false
        case .values:
            let (channel, decimals) = try readChannel()
            guard decimals <= 9 else { throw CodecError(.outOfRange, at: exceptionOffset - 1) }
            let offset = exceptionOffset
            let quality = try Varint.read(bytes, at: &exceptionOffset, before: exceptionEnd)
            guard let quality = UInt16(exactly: quality) else {
                throw CodecError(.outOfRange, at: offset)
            }
            statuses[channel] = .values(decimals: decimals, Quality(rawValue: quality))
        case .noData:
            let (channel, code) = try readChannel()
            guard let reason = NoData(storageCode: UInt8(code)) else {
                throw CodecError(.unknownCode(UInt8(code)), at: exceptionOffset - 1)
            }
            statuses[channel] = .noData(reason)
        }
        try readExceptionHead()
    }

    private mutating func readInterval() throws(CodecError) -> Int64 {
        let offset = exceptionOffset
        guard !isJittering else { throw CodecError(.unexpected, at: offset - 1) }
        let interval = try Varint.read(bytes, at: &exceptionOffset, before: exceptionEnd)
        guard interval <= UInt64(SegmentFormat.maximumTick) * 2 else {
            throw CodecError(.outOfRange, at: offset)
        }
        return Int64(interval)
    }

    private mutating func readChannel() throws(CodecError) -> (channel: Int, low: Int) {
        guard exceptionOffset < exceptionEnd else {
            throw CodecError(.truncated, at: exceptionOffset)
        }
        let (channel, low) = Int(bytes[exceptionOffset]).quotientAndRemainder(dividingBy: 16)
        guard channel < statuses.count else {
            throw CodecError(.otherChannels, at: exceptionOffset)
        }
        exceptionOffset += 1
        return (channel, low)
    }

    /// Checks that only zeros are left in the last byte.
    private func checkEnd() throws(CodecError) {
        if isTimesOnly { return }
        let position = cursor.position
        let used = (position + 7) / 8
        guard used == byteCount else { throw CodecError(.trailingBytes, at: used) }
        guard position % 8 == 0 || bytes[used - 1] >> UInt8(position % 8) == 0 else {
            throw CodecError(.trailingBytes, at: used - 1)
        }
    }
}

// MARK: - Deltas

extension SegmentDecoder {
    private mutating func decode(
        _ wanted: Int,
        into rows: inout SegmentRows
    ) throws(CodecError) {
        let active = statuses.indices.filter { statuses[$0].hasValues }
        if !isJittering { try fillTicks(wanted, &rows) }
        if isTimesOnly { return }
        if !isJittering, active.count == 2, statuses.count == 2 {
            decodePairs(wanted, into: &rows)
        } else {
            try decodeAny(wanted, active, into: &rows)
        }
        guard cursor.position <= byteCount * 8 else { throw CodecError(.truncated, at: byteCount) }
    }

    /// Ticks at the expected interval, which need no bits.
    private mutating func fillTicks(_ wanted: Int, _ rows: inout SegmentRows) throws(CodecError) {
        try advance(by: intervalOnce ?? tempo.interval)
        intervalOnce = nil
        rows.setTick(0, tick)
        guard wanted > 1 else { return }
        let (first, interval) = (tick, tempo.interval)
        guard interval <= (SegmentFormat.maximumTick - first) / Int64(wanted - 1) else {
            throw CodecError(.outOfRange, at: exceptionOffset)
        }
        tick = first &+ interval &* Int64(wanted - 1)
        if isTimesOnly { return rows.setTicks(from: first, step: interval) }
        for index in 1..<wanted { rows.setTick(index, first &+ interval &* Int64(index)) }
    }

    private mutating func advance(by interval: Int64) throws(CodecError) {
        let bound = SegmentFormat.maximumTick
        guard (0...bound * 2).contains(interval), tick + interval <= bound else {
            throw CodecError(.outOfRange, at: min(cursor.position / 8, byteCount))
        }
        tick += interval
    }

    /// Rows of two channels, both with values: the common case of a fine dust sensor.
    ///
    /// Stops behind the first row that ends in the padding.
    private mutating func decodePairs(_ wanted: Int, into rows: inout SegmentRows) {
        let (bytes, table) = (bytes, SegmentCode.decoding)  // Shared, not copied.
        let (raw, codes) = (bytes.span.bytes, table.span)
        var mantissas = rows.mantissas.mutableSpan
        var (first, second, lead, cursor) = (states[0], states[1], lead, cursor)
        let end = byteCount * 8
        for index in 0..<wanted {
            guard cursor.position <= end else { break }
            cursor.load(raw)
            first.previous &+= lead.readDelta(raw, codes, &cursor, &first.model)
            var neighbour = lead
            second.previous &+= neighbour.readDelta(raw, codes, &cursor, &second.model)
            mantissas[unchecked: 2 &* index] = first.previous
            mantissas[unchecked: 2 &* index &+ 1] = second.previous
        }
        (states[0], states[1], self.lead, self.cursor) = (first, second, lead, cursor)
    }

    /// Rows of any shape, and of jitter.
    private mutating func decodeAny(
        _ wanted: Int,
        _ active: [Int],
        into rows: inout SegmentRows
    ) throws(CodecError) {
        let (bytes, table) = (bytes, SegmentCode.decoding)  // Shared, not copied.
        let (raw, codes) = (bytes.span.bytes, table.span)
        let width = statuses.count
        for index in 0..<wanted {
            guard cursor.position <= byteCount * 8 else { return }
            if isJittering {
                cursor.load(raw)
                let residual = lastResidual.readDelta(raw, codes, &cursor, &tempoModel)
                try advance(by: tempo.interval &+ residual)
                tempo.follow(residual)
                rows.setTick(index, tick)
            }
            var neighbour = lead
            for channel in active {
                cursor.load(raw)
                let delta = neighbour.readDelta(raw, codes, &cursor, &states[channel].model)
                states[channel].previous &+= delta
                if channel == active[0] { lead = neighbour }
                rows.mantissas[index * width + channel] = states[channel].previous
            }
        }
    }
}

/// The decoder's state of one channel.
private struct SegmentChannelState: Sendable {
    var previous: Int64
    var model = SegmentModel()
}

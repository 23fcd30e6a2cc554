import Readings

/// Reads what `SegmentEncoder` wrote, row by row or many rows at a time.
///
/// Whatever the bytes are, the result is rows or a `CodecError`, in time bounded by the number of
/// rows claimed (at most 2²⁰) and of bytes.
package struct SegmentDecoder: Sendable {
    /// Rows in the segment.
    package let count: Int
    package let start: Tick
    /// Of each channel, as the encoder was told.
    package let decimals: [Int]

    private var bytes: [UInt8]  // With padding, so that a row can be read without looking.
    private let byteCount: Int
    private var row = 0
    private var tick: Int64
    private var statuses: [ChannelStatus]
    private var states: [SegmentChannelState]
    private var lead: Int64 = 0

    private var tempo = SegmentTempo()
    private var tempoModel = SegmentModel()
    private var lastResidual: Int64 = 0
    private var isJittering = false
    private var intervalOnce: Int64?

    private var exceptionOffset: Int
    private let exceptionEnd: Int
    private var exceptionRow = 0
    private var pendingOperation: SegmentFormat.Operation?
    private var position: Int  // In bits.

    private var rows = SegmentRows()
    private var rowsTaken = 0

    /// More than the bits of one row of 16 channels and its time: 17 × 80.
    private static let padding = 192

    /// Reads the header.
    ///
    /// - Throws: `CodecError`, also when the segment was written for other decimals.
    package init(_ bytes: [UInt8], decimals: [Int]) throws(CodecError) {
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
        position = header.exceptions.upperBound * 8
        try readExceptionHead()
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
        let wanted = min(next - row, SegmentRows.capacity)
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

    /// Nothing may be left but zeros in the last byte.
    private func checkEnd() throws(CodecError) {
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
        if !isJittering, active.count == 2, statuses.count == 2 {
            decodePairs(wanted, into: &rows)
        } else {
            try decodeAny(wanted, active, into: &rows)
        }
        guard position <= byteCount * 8 else { throw CodecError(.truncated, at: byteCount) }
    }

    /// Ticks at the expected interval, which need no bits.
    private mutating func fillTicks(_ wanted: Int, _ rows: inout SegmentRows) throws(CodecError) {
        try advance(by: intervalOnce ?? tempo.interval)
        intervalOnce = nil
        rows.ticks[0] = tick
        guard wanted > 1 else { return }
        let (first, interval) = (tick, tempo.interval)
        guard interval <= (SegmentFormat.maximumTick - first) / Int64(wanted - 1) else {
            throw CodecError(.outOfRange, at: exceptionOffset)
        }
        for index in 1..<wanted { rows.ticks[index] = first &+ interval &* Int64(index) }
        tick = rows.ticks[wanted - 1]
    }

    private mutating func advance(by interval: Int64) throws(CodecError) {
        let bound = SegmentFormat.maximumTick
        guard (0...bound * 2).contains(interval), tick + interval <= bound else {
            throw CodecError(.outOfRange, at: min(position / 8, byteCount))
        }
        tick += interval
    }

    /// Rows of two channels, both with values: what a fine dust sensor sends all day.
    ///
    /// Stops behind the first row that ends in the padding.
    private mutating func decodePairs(_ wanted: Int, into rows: inout SegmentRows) {
        let (bytes, table) = (bytes, SegmentCode.decoding)  // Shared, not copied.
        let (raw, codes) = (bytes.span.bytes, table.span)
        var mantissas = rows.mantissas.mutableSpan
        var (first, second) = (states[0], states[1])
        var (lead, position) = (lead, position)
        let end = byteCount * 8
        for index in 0..<wanted {
            guard position <= end else { break }
            let delta = readDelta(raw, codes, &position, beside: lead, &first.model)
            first.previous &+= delta
            lead = delta
            let other = readDelta(raw, codes, &position, beside: delta, &second.model)
            second.previous &+= other
            mantissas[unchecked: 2 &* index] = first.previous
            mantissas[unchecked: 2 &* index &+ 1] = second.previous
        }
        (states[0], states[1]) = (first, second)
        (self.lead, self.position) = (lead, position)
    }

    private mutating func decodeAny(
        _ wanted: Int,
        _ active: [Int],
        into rows: inout SegmentRows
    ) throws(CodecError) {
        let (bytes, table) = (bytes, SegmentCode.decoding)  // Shared, not copied.
        let (raw, codes) = (bytes.span.bytes, table.span)
        let width = statuses.count
        var (lead, position) = (lead, position)
        defer { (self.lead, self.position) = (lead, position) }
        for index in 0..<wanted {
            guard position <= byteCount * 8 else { return }
            if isJittering {
                let residual = readDelta(
                    raw,
                    codes,
                    &position,
                    beside: lastResidual,
                    &tempoModel
                )
                self.position = position
                try advance(by: tempo.interval &+ residual)
                lastResidual = residual
                tempo.follow(residual)
                rows.ticks[index] = tick
            }
            var neighbour = lead
            for channel in active {
                neighbour = readDelta(
                    raw,
                    codes,
                    &position,
                    beside: neighbour,
                    &states[channel].model
                )
                states[channel].previous &+= neighbour
                if channel == active[0] { lead = neighbour }
                rows.mantissas[index * width + channel] = states[channel].previous
            }
        }
    }
}

/// What the decoder remembers of one channel.
private struct SegmentChannelState: Sendable {
    var previous: Int64
    var model = SegmentModel()
}

/// Reads one delta: two table look-ups for a small one.
///
/// - Parameters:
///   - bytes: With 192 more than there are bits.
///   - codes: `SegmentCode.decoding`.
///   - position: In bits.
///   - neighbour: The delta beside it.
///   - model: Of its channel.
/// - Returns: The delta, and the position moved behind it.
@inline(__always)
private func readDelta(
    _ bytes: RawSpan,
    _ codes: Span<UInt16>,
    _ position: inout Int,
    beside neighbour: Int64,
    _ model: inout SegmentModel
) -> Int64 {
    let context = model.context(beside: neighbour)
    let mask = 1 << SegmentCode.maximumLength - 1
    let next = Int(truncatingIfNeeded: bits(bytes, at: position)) & mask
    let entry = Int(codes[unchecked: context << SegmentCode.maximumLength | next])
    position &+= entry & 15
    let token = entry >> 4
    let delta: Int64
    if token <= 2 * SegmentModel.smallDelta {
        delta = Int64(token >> 1) ^ -Int64(token & 1)
        model.learn(small: (token &+ 1) >> 1)
    } else {
        delta = readLargeDelta(bytes, token, &position)
        model.learn(large: delta.magnitude)
    }
    return neighbour < 0 ? 0 &- delta : delta
}

/// Reads what follows the token of a delta beyond ±7; a bit length beyond 64 counts as 64.
@inline(never)
private func readLargeDelta(_ bytes: RawSpan, _ token: Int, _ position: inout Int) -> Int64 {
    var length = token - 11
    if token == SegmentCode.escape {
        length = min(16 + Int(bits(bytes, at: position) & 63), 64)
        position += 6
    }
    let isNegative = bits(bytes, at: position) & 1 != 0
    position += 1
    let low = min(length - 1, 32)
    var magnitude = bits(bytes, at: position) & (1 << UInt64(low) - 1)
    position += low
    let high = length - 1 - low
    magnitude |= (bits(bytes, at: position) & (1 << UInt64(high) - 1)) << UInt64(low)
    position += high
    magnitude |= 1 << UInt64(length - 1)
    return Int64(bitPattern: isNegative ? 0 &- magnitude : magnitude)
}

/// At least 57 bits from there on.
@inline(__always)
private func bits(_ bytes: RawSpan, at position: Int) -> UInt64 {
    let word = bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position >> 3,
        as: UInt64.self
    )
    return UInt64(littleEndian: word) &>> UInt64(position & 7)
}

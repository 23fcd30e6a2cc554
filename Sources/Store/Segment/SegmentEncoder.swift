import Core

/// Encodes samples of one stream in one boot, exactly, in about 0.7 bytes for a pair of values.
///
/// Rows that come as expected, with outcomes of the same kind as before, cost their deltas alone;
/// everything else is an exception in a stream of its own. `SPEC.md`, *Segment*, has the bytes.
/// An append costs the same however many rows there are, and allocates only when a buffer grows.
package struct SegmentEncoder: Sendable {
    /// Rows in one segment, at most: 1 048 576, twelve days at 1 Hz.
    ///
    /// To append one more is a programmer error.
    static let maximumCount = SegmentFormat.maximumCount

    package private(set) var count = 0
    package let decimals: [Int]
    package let start: Tick

    private var last: Tick
    private var tempo = SegmentTempo()
    private var tempoModel = SegmentModel()
    private var isJittering = false
    private var lastInterval: Int64 = 0
    private var lastResidual: Int64 = 0
    private var regularRows = 0
    private var lastTimeException = -Self.jitterReach

    private var channels: [SegmentChannel]
    private var lead: Int64 = 0
    private var exceptions: [UInt8] = []
    private var lastException = 0
    private var values = BitWriter()

    /// Two exceptions of time this close together begin jitter: each costs as much as some 16 rows
    /// of jitter.
    private static let jitterReach = 16
    /// Number of regular rows that end jitter: they cost as much as beginning it again.
    private static let regularReach = 32

    /// Begins a segment of 1…16 channels.
    ///
    /// - Parameters:
    ///   - decimals: Of each channel; values with others survive, at some cost.
    ///   - start: At or before the first sample, within ± 292 years of the boot.
    package init(decimals: [Int], startingAt start: Tick) {
        precondition(SegmentFormat.channelRange.contains(decimals.count), "1 to 16 channels")
        precondition(decimals.allSatisfy((0...9).contains), "decimals are 0…9")
        precondition(start.tenths.magnitude <= SegmentFormat.maximumTick.magnitude)
        self.decimals = decimals
        self.start = start
        last = start
        channels = decimals.map { SegmentChannel(decimals: $0) }
    }

    /// Bytes of `finished()`, at most.
    package var byteCountBound: Int {
        // Version, channels, decimals, row count, start, first values, length of the exceptions.
        let header = 2 + 8 + 3 + 10 + channels.count * 10 + 5
        return header + exceptions.count + values.byteCount
    }

    /// Bytes by which one more row can raise `byteCountBound`, at most.
    package var rowByteCountBound: Int {
        (channels.count + 1) * SegmentFormat.maximumByteCountPerChannel
    }

    /// Appends one sample.
    ///
    /// A step back in time and a wrong number of outcomes are programmer errors.
    package mutating func append(_ tick: Tick, _ outcomes: [Outcome]) {
        precondition(outcomes.count == channels.count, "one outcome for each channel")
        precondition(tick >= last, "ticks never step back")
        precondition(tick.tenths <= SegmentFormat.maximumTick)
        precondition(count < Self.maximumCount, "the segment is full")
        appendTime(tick.tenths - last.tenths)
        var neighbour = lead
        var isLeading = true
        for index in outcomes.indices {
            recordStatus(of: index, outcomes[index])
            guard case .value(let value, _) = outcomes[index] else { continue }
            let delta = channels[index].advance(to: value.mantissa)
            values.append(delta, beside: neighbour, &channels[index].model)
            neighbour = delta
            if isLeading { (lead, isLeading) = (delta, false) }
        }
        last = tick
        count += 1
    }

    /// The segment's bytes; more may be appended afterwards, and it be finished again.
    package func finished() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCountBound)
        bytes.append(SegmentFormat.version)
        bytes.append(UInt8(channels.count))
        for index in stride(from: 0, to: decimals.count, by: 2) {
            let high = index + 1 < decimals.count ? decimals[index + 1] : 0
            bytes.append(UInt8(high << 4 | decimals[index]))
        }
        Varint.append(UInt64(count), to: &bytes)
        Varint.append(Varint.zigzag(start.tenths), to: &bytes)
        for channel in channels { Varint.append(Varint.zigzag(channel.first ?? 0), to: &bytes) }
        Varint.append(UInt64(exceptions.count), to: &bytes)
        bytes += exceptions
        bytes += values.bytes
        if let tail = values.tail { bytes.append(tail) }
        return bytes
    }

    private mutating func appendTime(_ interval: Int64) {
        defer { lastInterval = interval }
        if isJittering, regularRows >= Self.regularReach {
            appendException(.endJitter)
            isJittering = false
        }
        if !isJittering, interval != tempo.interval { departFromTempo(to: interval) }
        guard isJittering else { return }
        let residual = interval - tempo.interval
        values.append(residual, beside: lastResidual, &tempoModel)
        lastResidual = residual
        tempo.follow(residual)
        regularRows = residual == 0 ? regularRows + 1 : 0
    }

    private mutating func departFromTempo(to interval: Int64) {
        if count > 1, count - lastTimeException <= Self.jitterReach {
            appendException(.beginJitter)
            isJittering = true
            regularRows = 0
        } else if count == 1 || (count > 1 && interval == lastInterval) {
            appendException(.intervalFromNow)
            Varint.append(UInt64(interval), to: &exceptions)
            tempo.set(interval)
        } else {
            appendException(.intervalOnce)
            Varint.append(UInt64(interval), to: &exceptions)
        }
        if count > 0 { lastTimeException = count }
    }

    private mutating func recordStatus(of index: Int, _ outcome: Outcome) {
        let status = ChannelStatus(outcome)
        guard status != channels[index].status else { return }
        channels[index].status = status
        switch status {
        case .values(let decimals, let quality):
            appendException(.values)
            exceptions.append(UInt8(index << 4 | decimals))
            Varint.append(UInt64(quality.rawValue), to: &exceptions)
        case .noData(let reason):
            appendException(.noData)
            exceptions.append(UInt8(index << 4) | reason.storageCode)
        }
    }

    private mutating func appendException(_ operation: SegmentFormat.Operation) {
        let head = UInt64(count - lastException) << 3 | UInt64(operation.rawValue)
        Varint.append(head, to: &exceptions)
        lastException = count
    }
}

/// The encoder's state of one channel.
private struct SegmentChannel: Sendable {
    var status: ChannelStatus
    var model = SegmentModel()
    /// The segment's first value, which the header holds.
    private(set) var first: Int64?
    private var previous: Int64 = 0

    init(decimals: Int) { status = .values(decimals: decimals, []) }

    /// The delta to the next mantissa, wrapping; 0 to the first one.
    mutating func advance(to mantissa: Int64) -> Int64 {
        if first == nil { (first, previous) = (mantissa, mantissa) }
        defer { previous = mantissa }
        return mantissa &- previous
    }
}

extension BitWriter {
    /// Appends one delta in the code that its model and its neighbour choose.
    fileprivate mutating func append(
        _ delta: Int64,
        beside neighbour: Int64,
        _ model: inout SegmentModel
    ) {
        let context = model.context(beside: neighbour)
        let signed = neighbour < 0 ? 0 &- delta : delta
        let magnitude = signed.magnitude
        guard magnitude > SegmentModel.smallDelta else {
            append(token: Int(Varint.zigzag(signed)), context)
            model.learn(small: Int(magnitude))
            return
        }
        let length = UInt64.bitWidth - magnitude.leadingZeroBitCount
        let token = min(length + SegmentCode.lengthToken, SegmentCode.escape)
        append(token: token, context)
        if token == SegmentCode.escape { append(UInt64(length - 16), count: 6) }
        append(signed < 0 ? 1 : 0, count: 1)
        let rest = magnitude & ~(1 << UInt64(length - 1))
        let low = min(length - 1, 32)
        append(rest & (1 << UInt64(low) - 1), count: low)
        append(rest >> UInt64(low), count: length - 1 - low)
        model.learn(large: magnitude)
    }

    private mutating func append(token: Int, _ context: Int) {
        let entry = SegmentCode.encoding[context * SegmentCode.tokenCount + token]
        append(UInt64(entry >> 4), count: Int(entry & 15))
    }
}

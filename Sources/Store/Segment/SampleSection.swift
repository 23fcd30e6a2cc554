import Core

/// One segment within a slot of samples.
///
/// Boot 4, first tick 8, last tick 8, count 4, length 2 bytes, little-endian; then the segment.
struct SampleSection: Hashable, Sendable {
    static let headerByteCount = 26

    let boot: UInt32
    let first: Tick
    let last: Tick
    let count: Int
    /// Where the section begins in the slot, and the place of its segment.
    let offset: Int
    let segment: Range<Int>

    /// The sections of a slot, oldest first; what makes no sense at the end is left out.
    static func all(in payload: [UInt8]) -> [SampleSection] {
        var sections: [SampleSection] = []
        var reader = HistoryByteReader(payload[...])
        while !reader.isAtEnd {
            let offset = reader.offset
            guard let boot = reader.integer(UInt32.self), let first = reader.integer(Int64.self),
                let last = reader.integer(Int64.self), let count = reader.integer(UInt32.self),
                let length = reader.integer(UInt16.self), let segment = reader.read(Int(length))
            else { return sections }
            sections.append(
                SampleSection(
                    boot: boot,
                    first: Tick(tenths: first),
                    last: Tick(tenths: last),
                    count: Int(count),
                    offset: offset,
                    segment: segment.startIndex..<segment.endIndex
                )
            )
        }
        return sections
    }

    static func encode(
        boot: UInt32,
        _ ticks: ClosedRange<Tick>,
        count: Int,
        _ segment: [UInt8]
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: headerByteCount)
        HistoryBytes.put(boot, in: &bytes, at: 0)
        HistoryBytes.put(ticks.lowerBound.tenths, in: &bytes, at: 4)
        HistoryBytes.put(ticks.upperBound.tenths, in: &bytes, at: 12)
        HistoryBytes.put(UInt32(count), in: &bytes, at: 20)
        HistoryBytes.put(UInt16(segment.count), in: &bytes, at: 24)
        return bytes + segment
    }
}

/// Packs the samples of one stream into its slots.
struct SampleWriter {
    /// A new section needs so much room, or goes to the next slot.
    private static let roomMin = 256

    private let decimals: [Int]
    private let appender: HistoryAppender
    private var boot: UInt32 = 0
    private var first = Tick(tenths: 0)
    private var last = Tick(tenths: 0)
    private var encoder: SegmentEncoder?

    init(decimals: [Int], _ appender: HistoryAppender) {
        (self.decimals, self.appender) = (decimals, appender)
    }

    mutating func append(
        boot: UInt32,
        _ tick: Tick,
        _ outcomes: [Outcome]
    ) throws(StoreError) {
        if encoder == nil { try resume(boot, before: tick) }
        if let encoder, boot != self.boot || tick < last || isFull(encoder) { try close() }
        if encoder == nil {
            if appender.room < SampleSection.headerByteCount + Self.roomMin {
                try appender.advance()
            }
            encoder = SegmentEncoder(decimals: decimals, startingAt: tick)
            (self.boot, first) = (boot, tick)
        }
        encoder?.append(tick, outcomes)
        last = tick
    }

    /// Puts the encoded samples into the slot; it can continue.
    mutating func close() throws(StoreError) {
        guard let encoder else { return }
        self.encoder = nil
        let section = SampleSection.encode(
            boot: boot,
            first...last,
            count: encoder.count,
            encoder.finished()
        )
        appender.append(
            section,
            from: HistoryPosition(boot: boot, tick: first),
            to: HistoryPosition(boot: boot, tick: last),
            count: encoder.count
        )
    }

    private func isFull(_ encoder: SegmentEncoder) -> Bool {
        let bound = encoder.byteCountBound + encoder.rowByteCountBound
        return SampleSection.headerByteCount + bound > appender.room
            || encoder.count >= SegmentEncoder.maximumCount
    }

    /// Continues the last section of the slot when the sample fits to it.
    private mutating func resume(_ boot: UInt32, before tick: Tick) throws(StoreError) {
        let payload = appender.slot.payload
        let sections = SampleSection.all(in: payload)
        guard let section = sections.last, section.boot == boot, section.last <= tick,
            section.count < SegmentEncoder.maximumCount
        else { return }
        var resumed = SegmentEncoder(decimals: decimals, startingAt: section.first)
        do {
            var decoder = try SegmentDecoder(Array(payload[section.segment]), decimals: decimals)
            while let (tick, outcomes) = try decoder.next() { resumed.append(tick, outcomes) }
        } catch { return }  // Leave it unchanged; a reader reports it.
        guard resumed.count == section.count,
            SampleSection.headerByteCount + resumed.byteCountBound + resumed.rowByteCountBound
                <= appender.capacity - section.offset
        else { return }
        let before = sections.dropLast().last
        appender.truncate(
            to: section.offset,
            last: before.map { HistoryPosition(boot: $0.boot, tick: $0.last) }
                ?? appender.slot.header.first,
            count: section.count
        )
        (self.boot, first, last, encoder) = (boot, section.first, section.last, resumed)
    }
}

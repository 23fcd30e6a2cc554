import Core

/// Appends numbers and text the way journal records hold them.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ more: [UInt8]) { bytes += more }

    mutating func append(_ number: UInt64) { Varint.append(number, to: &bytes) }

    mutating func append(signed number: Int64) { append(Varint.zigzag(number)) }

    mutating func append(text: String, limit: Int) {
        let utf8 = Array(text.cut(toUTF8: limit).utf8)
        append(UInt64(utf8.count))
        bytes += utf8
    }

    mutating func append(_ stream: StreamDescription) {
        append(UInt64(stream.id.rawValue))
        append(text: stream.device, limit: JournalRecordCodec.textByteLimit)
        append(UInt64(stream.quantities.count))
        for quantity in stream.quantities {
            append(text: quantity.name, limit: JournalRecordCodec.textByteLimit)
            append(text: quantity.unit, limit: JournalRecordCodec.textByteLimit)
            append(UInt64(quantity.decimals))
        }
    }

    mutating func append(_ event: Event) {
        append(signed: event.instant.nanoseconds)
        append(UInt64(event.severity.rawValue))
        append(text: event.source, limit: 48)
        append(text: event.kind.name, limit: 48)
        for detail in event.details {
            var encoded = RecordWriter()
            encoded.append(text: detail.key, limit: 24)
            encoded.append(text: detail.value, limit: 120)
            guard bytes.count + encoded.bytes.count <= JournalRecordCodec.eventByteLimit else {
                break
            }
            bytes += encoded.bytes
        }
    }

    mutating func append(_ missing: MissingSamples, at instant: MonotonicInstant) {
        append(signed: instant.nanoseconds)
        append(UInt64(GapCause.stored.firstIndex(of: missing.cause) ?? GapCause.stored.count))
        append(missing.parts)
        append(signed: missing.from.tenths)
        append(signed: missing.to.tenths)
        if let stream = missing.stream { append(UInt64(stream.rawValue)) }
        if missing.count > 0 { append(UInt64(missing.count)) }
        if let device = missing.device {
            append(text: device, limit: JournalRecordCodec.textByteLimit)
        }
        if let boot = missing.fromBoot { append(boot.bytes) }
        if let boot = missing.toBoot { append(boot.bytes) }
    }
}

extension MissingSamples {
    /// Bits that say which optional parts of the record follow.
    fileprivate enum Part: UInt64, CaseIterable {
        case stream = 1
        case count = 2
        case device = 4
        case fromBoot = 8
        case toBoot = 16
    }

    fileprivate var parts: UInt64 {
        let all: [(Part, Bool)] = [
            (.stream, stream != nil), (.count, count > 0), (.device, device != nil),
            (.fromBoot, fromBoot != nil), (.toBoot, toBoot != nil),
        ]
        return all.reduce(0) { $1.1 ? $0 | $1.0.rawValue : $0 }
    }
}

extension GapCause {
    /// A record has the index of a cause; new ones come at the end, and none is ever taken out.
    static let stored: [GapCause] = [
        .unexplained, .cardDropped, .noPlace, .damaged, .suspended, .driverStopped, .unplugged,
        .muted, .silent, .badFrames, .warmingUp, .unusable, .stuck, .noFix, .notMeasured, .stale,
        .gated, .outOfRange, .notImported, .expired, .starting, .nodeStopped, .nodeCrashed,
        .powerLost, .clockUnknown, .notScheduled, .notDue, .late, .notKept,
    ]
}

/// Reads the bytes of `RecordWriter`, and accepts any others without a trap.
struct RecordReader {
    private var bytes: ArraySlice<UInt8>

    /// Indices of the slice are the places that errors name.
    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func rest() -> [UInt8] {
        defer { bytes = bytes[bytes.endIndex...] }
        return Array(bytes)
    }

    mutating func unsigned() throws(CodecError) -> UInt64 {
        let start = bytes.startIndex
        var offset = start
        guard let value = Varint.read(bytes, at: &offset) else {
            guard offset < bytes.endIndex else { throw .truncated(at: start) }
            throw .invalid("a number of more than 64 bits", at: start)
        }
        bytes = bytes[offset...]
        return value
    }

    mutating func signed() throws(CodecError) -> Int64 { Varint.unzigzag(try unsigned()) }

    /// Bytes with their count in front.
    mutating func counted() throws(CodecError) -> RecordReader {
        let start = bytes.startIndex
        guard let count = Int(exactly: try unsigned()), count <= bytes.count else {
            throw .truncated(at: start)
        }
        defer { bytes = bytes.dropFirst(count) }
        return RecordReader(bytes.prefix(count))
    }

    mutating func text() throws(CodecError) -> String {
        let start = bytes.startIndex
        guard let text = String(validating: try counted().bytes, as: UTF8.self) else {
            throw .invalid("text that is not UTF-8", at: start)
        }
        return text
    }

    mutating func tick() throws(CodecError) -> Tick { Tick(tenths: try signed()) }

    mutating func streamID() throws(CodecError) -> StreamID {
        StreamID(UInt16(try number(in: 0...UInt64(UInt16.max), "a stream")))
    }

    mutating func stream() throws(CodecError) -> StreamDescription {
        let (id, device) = (try streamID(), try text())
        let count = try number(in: 1...16, "a number of channels")
        var quantities: [Quantity] = []
        for _ in 0..<count {
            let (name, unit) = (try text(), try text())
            let decimals = Int(try number(in: 0...9, "decimals"))
            quantities.append(Quantity(name: name, unit: unit, decimals: decimals))
        }
        return StreamDescription(id: id, device: device, quantities: quantities)
    }

    mutating func event() throws(CodecError) -> Event {
        let instant = MonotonicInstant(nanoseconds: try signed())
        let start = bytes.startIndex
        guard let severity = Event.Severity(rawValue: Int(try number(in: 0...255, "a severity")))
        else { throw .invalid("a severity that is not known", at: start) }
        let (source, kind) = (try text(), try text())
        var details: [Event.Detail] = []
        while !isAtEnd { details.append(Event.Detail(try text(), try text())) }
        return Event(
            at: instant,
            source: source,
            name: kind,
            severity: severity,
            details: details
        )
    }

    /// Reads a record of missing samples; nil for a cause or a part of a newer version.
    mutating func missing() throws(CodecError) -> Event? {
        let instant = MonotonicInstant(nanoseconds: try signed())
        let (cause, parts) = (try unsigned(), try unsigned())
        let known = MissingSamples.Part.allCases.reduce(0) { $0 | $1.rawValue }
        guard cause < UInt64(GapCause.stored.count), parts & ~known == 0 else { return nil }
        func has(_ part: MissingSamples.Part) -> Bool { parts & part.rawValue != 0 }
        let (from, to) = (try tick(), try tick())
        var missing = MissingSamples(
            GapCause.stored[Int(cause)],
            of: has(.stream) ? try streamID() : nil,
            from: from,
            to: to
        )
        if has(.count) { missing.count = Int(try number(in: 1...UInt64(Int64.max), "a count")) }
        if has(.device) { missing.device = try text() }
        if has(.fromBoot) { missing.fromBoot = try boot() }
        if has(.toBoot) { missing.toBoot = try boot() }
        return Event(at: instant, missing)
    }

    /// Reads a follower's cursor; nil beyond the limits of this version.
    mutating func cursor() throws(CodecError) -> StoreCursor? {
        let (name, blob) = (try text(), rest())
        guard StoreCursor.isValid(name: name, blob: blob) else { return nil }
        return StoreCursor(name: name, blob: blob)
    }

    private mutating func boot() throws(CodecError) -> BootID {
        guard bytes.count >= 16 else { throw .truncated(at: bytes.startIndex) }
        defer { bytes = bytes.dropFirst(16) }
        return BootID(bytes: Array(bytes.prefix(16)))
    }

    mutating func anchor() throws(CodecError) -> ClockAnchor {
        ClockAnchor(
            boot: try boot(),
            tick: try tick(),
            wall: WallTime(nanoseconds: try signed()),
            trust: ClockTrust(stored: try number(in: 0...255, "a trust"))
        )
    }

    private mutating func number(
        in range: ClosedRange<UInt64>,
        _ what: String
    ) throws(CodecError) -> UInt64 {
        let start = bytes.startIndex
        let value = try unsigned()
        guard range.contains(value) else { throw .invalid("\(what) of \(value)", at: start) }
        return value
    }
}

extension String {
    /// The text, or its beginning and `…` when its UTF-8 is longer than `limit` bytes (≥ 3).
    fileprivate func cut(toUTF8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = ""
        var byteCount = 3  // The ellipsis has three.
        for character in unicodeScalars {
            byteCount += UTF8.width(character)
            guard byteCount <= limit else { break }
            kept.unicodeScalars.append(character)
        }
        return kept + "…"
    }
}

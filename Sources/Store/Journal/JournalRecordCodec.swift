import Core

/// The records of one block's payload, one after the other: kind, length, body.
///
/// A kind that this version does not know is skipped and counted. Garbage is an error with its
/// place, never a trap. Numbers are varints, seven bits a byte, least significant first; signed
/// ones zigzag. `SPEC.md`, section Journal.
package enum JournalRecordCodec {
    /// Bytes of an event's body at most, so that any event fits the smallest block.
    ///
    /// Source and kind are cut at 48 bytes, keys at 24, values at 120; details that do not fit any
    /// more are left out.
    static let eventByteLimit = 400
    /// Bytes of any other text at most; longer ones are cut.
    static let textByteLimit = 255

    /// The content of a payload, as far as this version knows it.
    package struct Contents: Hashable, Sendable {
        package var records: [JournalRecord] = []
        /// Records of kinds that a newer version wrote.
        package var unknownCount = 0
        /// Where understanding ended; nil when all was read.
        package var fault: CodecError?
    }

    private enum Kind {
        static let started: UInt64 = 1
        static let stopped: UInt64 = 2
        static let stream: UInt64 = 3
        static let schedule: UInt64 = 4
        static let samples: UInt64 = 5
        static let event: UInt64 = 6
        static let anchor: UInt64 = 7
        static let missing: UInt64 = 8
        static let cursor: UInt64 = 9
    }

    // MARK: - Encoding

    package static func encode(_ records: [JournalRecord]) -> [UInt8] {
        var writer = RecordWriter()
        for record in records { writer.append(encode(record)) }
        return writer.bytes
    }

    /// Packs records into as few payloads as their order allows.
    ///
    /// - Parameters:
    ///   - records: In the order they happened.
    ///   - capacity: Bytes of a payload.
    /// - Returns: The payloads, and the records that are longer than one by themselves.
    package static func payloads(
        _ records: [JournalRecord],
        capacity: Int
    ) -> (payloads: [[UInt8]], tooLong: [JournalRecord]) {
        var (payloads, tooLong) = ([[UInt8]](), [JournalRecord]())
        for record in records {
            let bytes = encode(record)
            if bytes.count > capacity {
                tooLong.append(record)
            } else if let last = payloads.last, last.count + bytes.count <= capacity {
                payloads[payloads.count - 1] += bytes
            } else {
                payloads.append(bytes)
            }
        }
        return (payloads, tooLong)
    }

    private static func encode(_ record: JournalRecord) -> [UInt8] {
        var body = RecordWriter()
        let kind: UInt64
        switch record {
        case .started(let tick, let version):
            kind = Kind.started
            body.append(signed: tick.tenths)
            body.append(text: version, limit: textByteLimit)
        case .stopped(let tick):
            kind = Kind.stopped
            body.append(signed: tick.tenths)
        case .stream(let stream):
            kind = Kind.stream
            body.append(stream)
        case .schedule(let stream, let tick, let interval):
            kind = Kind.schedule
            body.append(UInt64(stream.rawValue))
            body.append(signed: tick.tenths)
            if let interval { body.append(signed: interval.wholeNanoseconds) }
        case .samples(let stream, let segment):
            kind = Kind.samples
            body.append(UInt64(stream.rawValue))
            body.append(segment)
        case .event(let event):
            if case .samplesMissing(let missing) = event.kind,
                event == Event(at: event.instant, missing)
            {
                kind = Kind.missing
                body.append(missing, at: event.instant)
            } else {
                kind = Kind.event
                body.append(event)
            }
        case .anchor(let anchor):
            kind = Kind.anchor
            body.append(anchor.boot.bytes)
            body.append(signed: anchor.tick.tenths)
            body.append(signed: anchor.wall.nanoseconds)
            body.append(UInt64(anchor.trust.rawValue))
        case .cursor(let cursor):
            kind = Kind.cursor
            body.append(text: cursor.name, limit: StoreCursor.nameByteLimit)
            body.append(cursor.blob)
        }
        var framed = RecordWriter()
        framed.append(kind)
        framed.append(UInt64(body.bytes.count))
        framed.append(body.bytes)
        return framed.bytes
    }

    // MARK: - Decoding

    /// Decodes all records of a payload.
    ///
    /// - Throws: `CodecError` with the byte where understanding ended.
    package static func decode(_ payload: [UInt8]) throws(CodecError) -> [JournalRecord] {
        let contents = contents(payload)
        if let fault = contents.fault { throw fault }
        return contents.records
    }

    /// Decodes all records up to the first that cannot be understood.
    package static func contents(_ payload: [UInt8]) -> Contents {
        var contents = Contents()
        var reader = RecordReader(payload[...])
        do throws(CodecError) {
            while !reader.isAtEnd {
                let kind = try reader.unsigned()
                var body = try reader.counted()
                if let record = try record(kind, &body) {
                    contents.records.append(record)
                } else {
                    contents.unknownCount += 1
                }
            }
        } catch {
            contents.fault = error
        }
        return contents
    }

    /// A record of a known kind, else nil; unknown bytes at its end are skipped.
    private static func record(
        _ kind: UInt64,
        _ body: inout RecordReader
    ) throws(CodecError) -> JournalRecord? {
        switch kind {
        case Kind.started: .started(at: try body.tick(), version: try body.text())
        case Kind.stopped: .stopped(at: try body.tick())
        case Kind.stream: .stream(try body.stream())
        case Kind.schedule:
            .schedule(
                try body.streamID(),
                from: try body.tick(),
                interval: body.isAtEnd ? nil : .nanoseconds(try body.signed())
            )
        case Kind.samples: .samples(try body.streamID(), segment: body.rest())
        case Kind.event: .event(try body.event())
        case Kind.anchor: .anchor(try body.anchor())
        case Kind.missing: try body.missing().map { .event($0) }
        case Kind.cursor: try body.cursor().map { .cursor($0) }
        default: nil
        }
    }
}

import HardwareIO

/// Decodes SDS011 frames, measurements and replies, from a byte stream.
///
/// A frame is ten bytes, `AA C0 ll hh ll hh id id cs AB` or `AA C5 cmd p1 p2 p3 id id cs AB`; `cs`
/// is the low byte of the sum of bytes 2…7. A bad frame costs one byte, not ten, so a header hidden
/// in the garbage is still found. A head whose second byte is wrong is rejected at that byte.
///
/// Between calls at most nine bytes are kept, inline: nothing is allocated, ever.
///
/// - Source: Nova Fitness, *Laser Dust Sensor Control Protocol V1.3*.
package struct SDS011Decoder: FrameDecoder {
    package typealias Frame = SDS011Frame

    private static let frameSize = SDS011Frame.byteCount

    // Empty, or the start of one frame: its head, and if there is more, a mark.
    private var pending = InlineArray<10, UInt8>(repeating: 0)
    private var pendingCount = 0

    /// Heads that turned out not to begin a frame.
    package private(set) var rejectedCount = 0
    /// Bytes that belonged to no frame, rejected heads included.
    private(set) var skippedByteCount = 0
    /// Good frames.
    package private(set) var frameCount = 0

    package init() {}

    package var missingByteCount: Int { Self.frameSize - pendingCount }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (Decoded) -> Void) {
        var index = 0
        while pendingCount > 0, index < bytes.count {
            push(bytes[index], body)
            index += 1
        }
        while bytes.count - index >= Self.frameSize {
            guard bytes[index] == SDS011Frame.head else {
                skippedByteCount += 1
                index += 1
                continue
            }
            let result = Self.parse(bytes, at: index)
            index += count(result) ? Self.frameSize : 1
            body(result)
        }
        while index < bytes.count {
            push(bytes[index], body)
            index += 1
        }
    }

    /// Appends one byte to the frame that has begun, or begins one.
    private mutating func push(_ byte: UInt8, _ body: (Decoded) -> Void) {
        pending[pendingCount] = byte
        pendingCount += 1
        while pendingCount > 0 {
            if pending[0] != SDS011Frame.head {
                skippedByteCount += 1
                dropFirst()
            } else if pendingCount > 1, !Self.isMark(pending[1]) {
                let result = Decoded.failure(.unexpectedByte(pending[1], at: 1))
                _ = count(result)
                dropFirst()
                body(result)
            } else if pendingCount == Self.frameSize {
                let result = Self.parse(pending.span, at: 0)
                if count(result) { pendingCount = 0 } else { dropFirst() }
                body(result)
            } else {
                return
            }
        }
    }

    private mutating func dropFirst() {
        pendingCount -= 1
        for index in 0..<pendingCount { pending[index] = pending[index + 1] }
    }

    /// Counts a result; true when it is a frame.
    private mutating func count(_ result: Decoded) -> Bool {
        switch result {
        case .success:
            frameCount += 1
            return true
        case .failure:
            rejectedCount += 1
            skippedByteCount += 1
            return false
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte == SDS011Frame.measurementMark || byte == SDS011Frame.replyMark
    }

    private static func parse(_ bytes: Span<UInt8>, at start: Int) -> Decoded {
        let mark = bytes[start + 1]
        guard isMark(mark) else { return .failure(.unexpectedByte(mark, at: 1)) }
        let tail = bytes[start + 9]
        guard tail == SDS011Frame.tail else { return .failure(.unexpectedByte(tail, at: 9)) }
        let (b2, b3, b4) = (bytes[start + 2], bytes[start + 3], bytes[start + 4])
        let (b5, b6, b7) = (bytes[start + 5], bytes[start + 6], bytes[start + 7])
        let checksum = b2 &+ b3 &+ b4 &+ b5 &+ b6 &+ b7
        let found = bytes[start + 8]
        guard found == checksum else {
            return .failure(.checksum(expected: checksum, found: found))
        }
        let id = SDS011DeviceID(b6, b7)
        guard mark == SDS011Frame.measurementMark else {
            return .success(.reply(SDS011Reply(command: b2, b3, b4, b5), from: id))
        }
        let measurement = SDS011Measurement(
            pm25Tenths: UInt16(b2) | UInt16(b3) << 8,
            pm10Tenths: UInt16(b4) | UInt16(b5) << 8
        )
        return .success(.measurement(measurement, from: id))
    }
}

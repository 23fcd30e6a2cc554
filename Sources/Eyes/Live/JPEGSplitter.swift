import Glibc

/// Finds the JPEG pictures in a stream of them (MJPEG) by their markers.
///
/// A picture inside a segment of another, such as a thumbnail of the camera, is not counted as one.
/// Bytes between pictures are skipped. Bound: `byteMax` bytes of a picture; a larger one is dropped
/// and counted.
struct JPEGSplitter: Sendable {
    private enum Place {
        case outside
        /// Between segments, at a marker.
        case segments
        /// Within the compressed data.
        case scan
    }

    private let byteMax: Int
    private var buffer: [UInt8] = []
    private var place = Place.outside
    /// Bytes of `buffer` already parsed; past its end within a segment that is incomplete.
    private var position = 0
    /// Pictures that were larger than `byteMax`.
    private(set) var tooLargeCount = 0

    init(byteMax: Int) { self.byteMax = byteMax }

    /// Takes what came and returns the pictures that are whole now.
    mutating func append(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        buffer += bytes
        var pictures: [[UInt8]] = []
        while advance(&pictures) {}
        if buffer.count > byteMax {
            tooLargeCount += 1
            restart(at: buffer.count)
        }
        return pictures
    }

    /// - Returns: Whether more can be done with what is there.
    private mutating func advance(_ pictures: inout [[UInt8]]) -> Bool {
        switch place {
        case .outside: return findStart()
        case .segments: return passSegment(&pictures)
        case .scan: return passScan()
        }
    }

    private mutating func restart(at index: Int) {
        buffer.removeFirst(min(index, buffer.count))
        (place, position) = (.outside, 0)
    }

    private mutating func findStart() -> Bool {
        guard let start = next(0xFF, from: position) else {
            restart(at: buffer.count)
            return false
        }
        buffer.removeFirst(start)
        position = 0
        guard buffer.count >= 2 else { return false }
        guard buffer[1] == 0xD8 else {
            position = 1
            return true
        }
        (place, position) = (.segments, 2)
        return true
    }

    private mutating func passSegment(_ pictures: inout [[UInt8]]) -> Bool {
        guard position + 2 <= buffer.count else { return false }
        let marker = buffer[position + 1]
        guard buffer[position] == 0xFF, marker != 0x00, marker != 0xD8 else {
            restart(at: max(1, position))
            return true
        }
        switch marker {
        case 0xD9:
            pictures.append(Array(buffer[..<(position + 2)]))
            restart(at: position + 2)
        case 0xFF: position += 1
        case 0x01, 0xD0...0xD7: position += 2
        default:
            guard position + 4 <= buffer.count else { return false }
            let length = Int(buffer[position + 2]) << 8 | Int(buffer[position + 3])
            guard length >= 2 else {
                restart(at: position)
                return true
            }
            position += 2 + length
            if marker == 0xDA { place = .scan }
        }
        return true
    }

    private mutating func passScan() -> Bool {
        guard let found = next(0xFF, from: position) else {
            position = max(position, buffer.count)
            return false
        }
        position = found
        guard found + 1 < buffer.count else { return false }
        switch buffer[found + 1] {
        case 0x00, 0xD0...0xD7: position = found + 2
        case 0xFF: position = found + 1
        default: place = .segments
        }
        return true
    }

    private func next(_ byte: UInt8, from start: Int) -> Int? {
        guard start < buffer.count else { return nil }
        return buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}

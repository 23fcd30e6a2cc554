import HardwareIO

/// Shared memory that remembers every write, so that a kill can be tried between any two bytes.
package final class SimulatedSharedMemory: SharedMemory {
    package private(set) var bytes: [UInt8]
    package private(set) var writes: [(bytes: [UInt8], offset: Int)] = []

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package convenience init(byteCount: Int) {
        self.init([UInt8](repeating: 0, count: byteCount))
    }

    package var byteCount: Int { bytes.count }

    package func read(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }

    package func write(_ bytes: [UInt8], at offset: Int) {
        self.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        writes.append((bytes, offset))
    }
}

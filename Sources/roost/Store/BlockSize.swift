import ArgumentParser

/// Sizes that a journal block can have.
enum BlockSize {
    static func validate(_ byteCount: Int) throws {
        guard (512...65_536).contains(byteCount), byteCount.nonzeroBitCount == 1 else {
            throw ValidationError("--block is a power of two from 512 to 65536, not \(byteCount)")
        }
    }
}

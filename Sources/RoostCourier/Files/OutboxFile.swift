import Core

/// A file on its way to a target: made while it is sent, never whole in memory.
package struct OutboxFile: Sendable {
    /// Path, such as `hourly/Sun Nov  6 07:49:04 2022.csv`.
    package let path: String
    /// Number of bytes.
    package let size: Int
    /// MD5, 16 bytes.
    package let md5: [UInt8]
    /// SHA-256, 32 bytes.
    package let sha256: [UInt8]
    /// Returns the piece of a number, from 0 on; nil after the last.
    package let piece: @Sendable (Int) async throws -> [UInt8]?

    /// Reads the pieces once for size and hashes.
    ///
    /// - Throws: Errors of `piece`.
    package init(
        path: String,
        piece: @escaping @Sendable (Int) async throws -> [UInt8]?
    ) async throws {
        (self.path, self.piece) = (path, piece)
        var md5 = StreamingHash(.md5)
        var sha256 = StreamingHash(.sha256)
        var (size, number) = (0, 0)
        while let bytes = try await piece(number) {
            md5.add(bytes)
            sha256.add(bytes)
            size += bytes.count
            number += 1
        }
        self.size = size
        self.md5 = md5.finish()
        self.sha256 = sha256.finish()
    }

    /// MD5 as HTTP and Google write it.
    var md5Base64: String { Base64.text(md5) }
    /// MD5 as S3 writes it.
    var md5Hexadecimal: String { Hexadecimal.text(md5) }
}

/// A part of a file as an upload takes it, at most 64 KiB at a time.
actor FileStream {
    private static let pieceLimit = 64 << 10

    private let file: OutboxFile
    private var number = 0
    private var piece: ArraySlice<UInt8> = []
    /// Bytes to pass over, and bytes to hand out.
    private var skipped: Int
    private var left: Int

    /// - Parameters:
    ///   - offset: The first byte.
    ///   - count: Bytes.
    init(_ file: OutboxFile, from offset: Int = 0, count: Int) {
        (self.file, skipped, left) = (file, offset, count)
    }

    /// The next bytes; nil at the end.
    ///
    /// - Throws: Errors of making the file.
    func next() async throws -> [UInt8]? {
        while left > 0 {
            if piece.isEmpty {
                guard let bytes = try await file.piece(number) else { return nil }
                number += 1
                piece = bytes.dropFirst(skipped)
                skipped -= bytes.count - piece.count
                continue
            }
            let bytes = Array(piece.prefix(min(Self.pieceLimit, left)))
            piece = piece.dropFirst(bytes.count)
            left -= bytes.count
            return bytes
        }
        return nil
    }
}

import Core

/// Brings a piece of a file with measurements of another program; the first one begins it anew.
package struct SendImport: Question {
    package typealias Answer = ImportArrivalReport
    package static let about = QuestionFacts(
        "sendImport",
        for: .peopleAndDashboard,
        "Takes a piece of a file of another program, to be imported once it is whole."
    )
    /// Bytes of the whole file at most: it lies on the card while it is read.
    package static let byteCountMax = 32 << 20
    /// Bytes of one piece: in base64 it fits a line of 64 KiB.
    package static let pieceByteCountMax = 45_000

    /// Bytes that were sent before this piece; 0 begins anew.
    package let at: Int
    /// The piece, in base64.
    package let piece: String
    /// A number by which the sender knows its file, so that two senders do not mix theirs.
    package let file: Int

    package init(_ bytes: some Sequence<UInt8>, at: Int, of file: Int = 0) {
        (self.at, piece, self.file) = (at, Base64.text(Array(bytes)), file)
    }

    /// The bytes of the piece.
    package var bytes: [UInt8] { Base64.bytes(piece) ?? [] }

    package func check() throws(ControlFailure) {
        guard let bytes = Base64.bytes(piece),
            (1...Self.pieceByteCountMax).contains(bytes.count)
        else {
            throw .badRequest(
                "piece is 1 to \(Self.pieceByteCountMax) bytes in base64",
                at: "/piece"
            )
        }
        guard at >= 0, at <= Self.byteCountMax, at + bytes.count <= Self.byteCountMax else {
            throw ControlFailure(
                code: .tooLarge,
                message: "a file has at most \(Self.byteCountMax >> 20) MiB here; import a larger "
                    + "one with `roost import`",
                pointer: "/at"
            )
        }
    }
}

/// How much of a file has arrived.
package struct ImportArrivalReport: Codable, Hashable, Sendable {
    package let byteCount: Int

    package init(byteCount: Int) { self.byteCount = byteCount }
}

import ControlProtocol
import HTTPTypes

/// Imports files of other programs, for the owner only.
struct ImportRoutes: Sendable {
    let questions: StationQuestions

    /// Bytes of one request.
    private static let pieceByteCountMax = 1 << 20
    /// An import goes on for a second at a time, and a card may be slow.
    private static let limit = Duration.seconds(60)
    private static let file = QueryKey("file", .wholes(0...Int(Int32.max)))
    private static let at = QueryKey("at", .wholes(0...SendImport.byteCountMax), isRequired: true)

    var all: [Route] {
        [
            Route(.get, "/api/v1/import", .owner) { _ in
                try .json(Limits(limitBytes: SendImport.byteCountMax))
            }
            .about(
                "How large a file of another program may be that is imported here.",
                answers: Limits.self
            ),
            Route(
                .post,
                "/api/v1/import/file",
                .owner,
                body: .any(maxBytes: Self.pieceByteCountMax)
            ) { try .json(try await send($0)) }
            .about(
                "One piece of a file of another program, behind those before it.",
                query: [Self.at, Self.file],
                answers: ImportArrivalReport.self
            ),
            Route(.post, "/api/v1/import", .owner) { request in
                let question = try request.decoded(Wish.self).question
                return .json(
                    try ControlCodec.line(
                        try await questions.ask(question, for: request, within: Self.limit)
                    )
                )
            }
            .about(
                "Goes on with the import of the file that was sent, or with its trial: ask again "
                    + "while the answer has a part.",
                takes: Wish.self,
                answers: ImportedFileReport.self
            ),
        ]
    }

    private struct Limits: Codable { let limitBytes: Int }

    private struct Wish: Decodable {
        /// Bytes of the whole file.
        let bytes: Int
        /// The number that its pieces came with.
        let file: Int?
        let isTrial: Bool
        /// `roost`, `periods`, `sensor-community` or `safecast`; known by the content without it.
        let kind: String?
        /// Who measured, for `periods` and copies of stations.
        let source: String?
        /// Seconds east of Greenwich of the times in `periods`.
        let utcOffsetSeconds: Int?
        /// Also when it needs more than a quarter of the history's room.
        let isBold: Bool?

        var question: ImportSentFile {
            var question = ImportSentFile(byteCount: bytes, isTrial: isTrial)
            (question.kind, question.source, question.file) = (kind, source, file)
            (question.utcOffsetSeconds, question.isBold) = (utcOffsetSeconds, isBold)
            return question
        }
    }

    /// Passes a piece on to the station, in lines of its socket.
    private func send(_ request: WebRequest) async throws -> ImportArrivalReport {
        guard var at = try request.query.integer(Self.at) else {
            throw Problem(.badRequest, "at says where the piece begins")
        }
        guard at + request.body.count <= SendImport.byteCountMax else {
            throw Problem(.tooLarge, "a file has at most \(SendImport.byteCountMax >> 20) MiB")
        }
        let file = try request.query.integer(Self.file) ?? 0
        var rest = request.body[...]
        guard !rest.isEmpty else { throw Problem(.badRequest, "the piece is empty") }
        while !rest.isEmpty {
            let piece = rest.prefix(SendImport.pieceByteCountMax)
            let question = SendImport(piece, at: at, of: file)
            at = try await questions.ask(question, for: request).byteCount
            rest = rest.dropFirst(piece.count)
        }
        return ImportArrivalReport(byteCount: at)
    }
}

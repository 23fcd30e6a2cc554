import ControlProtocol
import HTTPTypes

/// Routes to update a station that runs from an image, for the owner only.
package struct UpdateRoutes: Sendable {
    private let uploads: UpdateUploads
    private let history: HistoryClient?

    /// - Parameters:
    ///   - history: On whose thread the card is written; nil does it where the request comes.
    package init(_ uploads: UpdateUploads, on history: HistoryClient? = nil) {
        (self.uploads, self.history) = (uploads, history)
    }

    /// Runs work on the history's thread: a card may take seconds, and other requests go on.
    private func work<Value: Sendable>(
        _ body: @escaping @Sendable (UpdateUploads) throws -> Value
    ) async throws -> Value {
        let uploads = uploads
        guard let history else { return try body(uploads) }
        return try await history.work { try body(uploads) }
    }

    /// Routes whose calls are written to the audit.
    package var acts: [Route] {
        [
            Route(.post, "/api/v1/update", .owner) { request in
                let count = try request.decoded(Wish.self).bytes
                return try .json(
                    try await work { uploads in
                        try uploads.begin(byteCount: count)
                        return try uploads.view
                    }
                )
            }
            .about(
                "Has the uploaded update checked, written and tried.",
                takes: Wish.self,
                answers: UpdateView.self
            )
        ]
    }

    package var others: [Route] {
        [
            Route(.get, "/api/v1/update", .owner) { request in
                try .json(try await work { try $0.view })
            }
            .about(
                "Which root of an image runs, and what became of the last update.",
                answers: UpdateView.self
            ),
            Route(
                .post,
                "/api/v1/update/file",
                .owner,
                body: .any(maxBytes: UpdateUploads.pieceByteCountMax)
            ) { request in
                guard let offset = try request.query.integer(Self.at) else {
                    throw Problem(.badRequest, "at says where the piece begins")
                }
                let count = try await work { try $0.add(request.body, at: offset) }
                return try .json(Uploaded(bytes: count))
            }
            .about(
                "One piece of an update file, behind those before it.",
                query: [Self.at],
                answers: Uploaded.self
            ),
        ]
    }

    private static let at = QueryKey(
        "at",
        .wholes(0...UpdateUploads.byteCountMax),
        isRequired: true
    )

    private struct Wish: Decodable { let bytes: Int }
    private struct Uploaded: Codable { let bytes: Int }
}

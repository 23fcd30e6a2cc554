import HTTPTypes

/// Another version for a station that runs from an image: for the owner alone.
package struct UpdateRoutes: Sendable {
    private let desk: UpdateDesk

    package init(_ desk: UpdateDesk) { self.desk = desk }

    /// What is written down in the audit.
    package var acts: [Route] {
        [
            Route(.post, "/api/v1/update", .owner, body: .form) { request in
                try request.allow(only: ["bytes"])
                try desk.begin(byteCount: try request.decoded(Wish.self).bytes)
                return try .json(desk.view)
            }
        ]
    }

    package var others: [Route] {
        [
            Route(.get, "/api/v1/update", .owner) { request in
                try request.query.allow(only: [])
                return try .json(desk.view)
            },
            Route(
                .post,
                "/api/v1/update/file",
                .owner,
                body: .any(maxBytes: UpdateDesk.pieceByteCountMax)
            ) { request in
                try request.query.allow(only: ["at"])
                let range = 0...UpdateDesk.byteCountMax
                guard let offset = try request.query.integer("at", in: range) else {
                    throw Problem(.badRequest, "at says where the piece begins")
                }
                return try .json(Uploaded(bytes: try desk.add(request.body, at: offset)))
            },
        ]
    }

    private struct Wish: Decodable { let bytes: Int }
    private struct Uploaded: Encodable { let bytes: Int }
}

import Camera
import ControlProtocol
import Core
import HTTPTypes
import HardwareIO
import StoreQueries

/// Routes for motions with their pictures, and for deleting pictures.
///
/// Viewers see that there was a motion. Pictures are for members and owners who are logged in, not
/// for tokens; deleting is for owners.
package struct RecordRoutes: Sendable {
    private static let limit = QueryKey.whole("limit", in: 1...200)
    /// A picture is written over, each block synced: seconds for hundreds of pictures.
    private static let deletionLimit = Duration.seconds(60)
    /// Greatest difference between two clocks' times of one motion, in nanoseconds.
    private static let lackTolerance: Int64 = 1_000_000_000

    private let history: HistoryClient
    /// The camera; nil for a card without its station.
    private let camera: Camera?
    private let looks: PictureAccessLog?

    /// The pictures and the process that takes them.
    package struct Camera: Sendable {
        let cache: PictureCache
        let eyes: any QuestionClient
        package let live: LivePicture

        package init(cache: PictureCache, eyes: any QuestionClient, live: LivePicture) {
            (self.cache, self.eyes, self.live) = (cache, eyes, live)
        }
    }

    /// - Parameters:
    ///   - camera: Nil for a card without its station.
    ///   - looks: Writes down who looked; nil where there are no accounts.
    package init(_ history: HistoryClient, _ camera: Camera?, _ looks: PictureAccessLog?) {
        (self.history, self.camera, self.looks) = (history, camera, looks)
    }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/records", .viewer, scope: .read) { try await list($0) }
                .about(
                    "Motions, newest first, with what is known of their pictures.",
                    query: [.cursor, Self.limit],
                    answers: RecordsView.self
                ),
            Route(.get, "/api/v1/records/{number}/picture", .member) { try await picture($0) }
                .about(
                    "The picture of a motion, as JPEG; no tokens.",
                    answers: .media(["image/jpeg"])
                ),
            Route(.delete, "/api/v1/records/{number}", .owner) { request in
                let number = try Self.number(request)
                let deletion = try await delete(DeletePictures(number))
                guard deletion.count > 0 else { throw Self.gone }
                return try .json(deletion)
            }
            .about(
                "Deletes a picture; its bytes are written over.",
                answers: EyesDeletion.self,
                audit: .picturesDeleted
            ),
            Route(.post, "/api/v1/records/delete", .owner) { request in
                let last = try request.decoded(Limit.self).upTo
                return try .json(try await delete(DeletePictures(nil, upTo: last)))
            }
            .about(
                "Deletes all pictures up to a number.",
                takes: Limit.self,
                answers: EyesDeletion.self,
                audit: .picturesDeleted
            ),
        ]
    }

    private struct Limit: Decodable { let upTo: UInt64 }

    private func delete(_ question: DeletePictures) async throws -> EyesDeletion {
        let camera = try demandCamera()
        let deletion = try await camera.eyes.askIfRunning(question, within: Self.deletionLimit)
        guard let deletion else {
            throw Problem(
                .stationDown,
                "roost-eyes, which alone changes the pictures, does not run; "
                    + "on the station: sudo roost records delete",
                headers: [.retryAfter: "5"]
            )
        }
        return deletion
    }

    private static let gone = Problem.notFound("this picture is no longer there")

    private func demandCamera() throws -> Camera {
        guard let camera else {
            throw Problem(.notOffered, "a card's history has no camera")
        }
        return camera
    }

    private static func number(_ request: WebRequest) throws -> UInt64 {
        guard let number = UInt64(request.parameters["number"] ?? "") else { throw gone }
        return number
    }

    /// A token never sees a picture, whatever its account may.
    static func mayLook(_ request: WebRequest) -> Bool {
        guard let identity = request.identity, identity.right >= .member else { return false }
        if case .token = identity.door { return false }
        return true
    }

    // MARK: - The list

    private func list(_ request: WebRequest) async throws -> WebResponse {
        let limit = try request.query.integer(Self.limit) ?? 60
        let cursor = try request.query.one("cursor").map { text in
            guard let cursor = MotionRecords.Cursor(text) else {
                throw Problem.badRequest("cursor is the next of the page before")
            }
            return cursor
        }
        let report = try await camera?.eyes.askIfRunning(GetCameraStatus())
        let cache = camera?.cache
        let mayLook = Self.mayLook(request)
        let mayDelete = mayLook && request.identity?.right == .owner
        return try await history.read { history in
            var trouble: String?
            var pictures: [PictureRecord]?
            do { pictures = try cache?.records() } catch let error as StorageError {
                trouble = "\(error)"
            }
            let page = try MotionRecords(
                history.reader,
                history.times,
                pictures ?? [],
                after: cursor,
                limit: limit
            )
            let items = page.items.map { item in
                RecordsView.Item(item, mayLook, Self.lack(of: item, report))
            }
            let next = page.next?.description
            var view = RecordsView(report, pictures, trouble, items, next: next)
            (view.mayLook, view.mayDelete) = (mayLook, mayDelete)
            return try .json(view)
        }
    }

    /// Why a motion has no picture, as far as `roost-eyes` knows it.
    private static func lack(
        of item: MotionRecords.Item,
        _ report: EyesReport?
    ) -> EyesReport.Lack? {
        guard item.picture == nil, let time = item.time?.nanoseconds else { return nil }
        return report?.lacks?.last { lack in
            lack.source == item.source && abs(lack.time - time) < Self.lackTolerance
        }
    }

    // MARK: - One picture

    private func picture(_ request: WebRequest) async throws -> WebResponse {
        let number = try Self.number(request)
        let cache = try demandCamera().cache
        let found = try await history.work {
            do { return try cache.picture(number) } catch let error as StorageError {
                throw Problem(.store, "\(error)")
            }
        }
        guard let found else { throw Self.gone }
        // Written before the picture is sent, so that the look is known in any case.
        await looks?.record(.pictures, request)
        var headers: HTTPFields = [.contentType: "image/jpeg"]
        // Browsers must not keep a picture that may be deleted.
        headers[.cacheControl] = "no-store"
        headers[.contentDisposition] = "inline; filename=\"\(found.record.name)\""
        return WebResponse(headers: headers, body: .bytes(found.bytes))
    }
}

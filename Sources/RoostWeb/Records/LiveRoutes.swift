import ControlProtocol
import HTTPTypes

/// Routes for the live picture: its state, and its frames.
///
/// Viewers may see the state. Frames are for members and owners who are logged in, not for tokens.
package struct LiveRoutes: Sendable {
    /// The camera; nil for a card without its station.
    private let camera: RecordRoutes.Camera?
    private let looks: PictureAccessLog?

    /// - Parameters:
    ///   - camera: Nil for a card without its station.
    ///   - looks: Writes down who looked; nil where there are no accounts.
    package init(_ camera: RecordRoutes.Camera?, _ looks: PictureAccessLog?) {
        (self.camera, self.looks) = (camera, looks)
    }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/camera", .viewer, scope: .read) { try await state($0) }
                .about("How the live picture is, and how many watch it.", answers: CameraView.self),
            Route(.get, "/api/v1/camera/live", .member) { try watch($0) }
                .about(
                    "The live picture: JPEGs as multipart/x-mixed-replace; no tokens.",
                    query: [QueryKey("turn")],
                    answers: .media(["multipart/x-mixed-replace"])
                ),
        ]
    }

    private func state(_ request: WebRequest) async throws -> WebResponse {
        let report = try await camera?.eyes.askIfRunning(GetCameraStatus())
        let live = report?.live
        let isThere = camera?.cache.isThere ?? false
        let isOn = report != nil && report?.isOff != true
        return try .json(
            CameraView(
                camera: isOn ? "on" : isThere && report == nil ? "stopped" : "off",
                state: live?.state.rawValue ?? "off",
                why: live?.why ?? report?.settingsTrouble,
                width: live?.width,
                height: live?.height,
                framesPerSecond: live?.framesPerSecond,
                viewers: camera?.live.viewerCount ?? 0,
                mayLook: RecordRoutes.mayLook(request)
            )
        )
    }

    private func watch(_ request: WebRequest) throws -> WebResponse {
        guard let picture = camera?.live else {
            throw Problem(.notOffered, "a card's history has no camera")
        }
        try picture.demandRoom()
        var headers: HTTPFields = [
            .contentType: "multipart/x-mixed-replace; boundary=\(LivePicture.boundary)"
        ]
        headers[.cacheControl] = "no-store"
        let looks = looks
        return WebResponse(
            headers: headers,
            body: .stream { write in
                // Written before the first frame is sent, so that the look is known in any case.
                await looks?.record(.livePicture, request)
                try await picture.serve(while: request.isStillAdmitted, write)
            }
        )
    }
}

/// `/camera`: how the live picture is.
struct CameraView: Codable, Sendable {
    let camera: String
    let state: String
    @OrNull var why: String?
    @OrNull var width: Int?
    @OrNull var height: Int?
    @OrNull var framesPerSecond: Int?
    let viewers: Int
    let mayLook: Bool
}

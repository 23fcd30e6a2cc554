import ControlProtocol
import Core
import HTTPTypes
import Profiles

/// Routes for the camera's settings and for a trial of them, for owners only.
package struct CameraRoutes: Sendable {
    /// Time that a change may take: a slow card needs seconds to keep it.
    private static let changeLimit: Duration = .seconds(20)
    /// Time that a picture may take at the camera, and the live picture before it.
    private static let trialLimit: Duration = .seconds(130)
    private static let trial = QueryKey("trial")

    /// The camera; nil for a card without its station.
    private let eyes: (any QuestionClient)?
    private let looks: PictureAccessLog?

    /// - Parameters:
    ///   - camera: Nil for a card without its station.
    ///   - looks: Writes down who looked; nil where there are no accounts.
    package init(_ camera: RecordRoutes.Camera?, _ looks: PictureAccessLog?) {
        (eyes, self.looks) = (camera?.eyes, looks)
    }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/camera/settings", .owner, scope: .read) { request in
                try await answer(GetCameraSettings(), request)
            }
            .about(
                "The camera's settings, where each comes from, and the cameras plugged in.",
                answers: CameraSettingsView.self
            ),
            Route(.put, "/api/v1/camera/settings", .owner) { request in
                let tag = try request.decoded(CameraSettingsBody.self).tag
                let question = ChangeCamera(try Self.settings(request) ?? "{}", tag: tag)
                return try await answer(question, request, within: Self.changeLimit)
            }
            .about(
                "Puts other settings in place of the owner's; 409 where they changed meanwhile.",
                takes: CameraSettingsBody.self,
                answers: CameraSettingsView.self
            ),
            Route(.post, "/api/v1/camera/settings/undo", .owner) { request in
                let tag = try request.decoded(CameraUndoBody.self).tag
                return try await answer(UndoCamera(tag: tag), request, within: Self.changeLimit)
            }
            .about(
                "Takes the last change of the camera's settings back.",
                takes: CameraUndoBody.self,
                answers: CameraSettingsView.self
            ),
            Route(.post, "/api/v1/camera/settings/try", .owner) { request in
                let question = TryCamera(try Self.settings(request))
                return try .json(try await ask(question, request, within: Self.trialLimit))
            }
            .about(
                "Takes one picture with settings, or as it is, and does not keep it.",
                takes: CameraTrialBody.self,
                answers: CameraTrialReport.self
            ),
            Route(.get, "/api/v1/camera/settings/picture", .owner) { try await picture($0) }
                .about(
                    "The picture of the last trial, for two minutes; no tokens.",
                    query: [Self.trial],
                    answers: .media(["image/jpeg"])
                ),
        ]
    }

    private func ask<Asked: Question>(
        _ question: Asked,
        _ request: WebRequest,
        within limit: Duration? = nil
    ) async throws -> Asked.Answer {
        guard let eyes else { throw Problem(.notOffered, "a card's history has no camera") }
        guard let answer = try await eyes.askIfRunning(question, within: limit) else {
            throw Problem(
                .stationDown,
                "roost-eyes does not run; on the station: sudo systemctl start roost-eyes",
                headers: [.retryAfter: "5"]
            )
        }
        return answer
    }

    private func answer<Asked: Question>(
        _ question: Asked,
        _ request: WebRequest,
        within limit: Duration? = nil
    ) async throws -> WebResponse where Asked.Answer == CameraSettingsReport {
        CameraSettingsView.json(try await ask(question, request, within: limit))
    }

    /// The text of `settings`, which the camera reads; nil without any.
    private static func settings(_ request: WebRequest) throws -> String? {
        guard !request.body.isEmpty,
            case .object(let fields) = try JSONParser.parse(request.body)
        else { return nil }
        return fields["settings"]?.text
    }

    private func picture(_ request: WebRequest) async throws -> WebResponse {
        guard RecordRoutes.mayLook(request) else {
            throw Problem(.forbidden, "pictures are for people who are logged in, not for tokens")
        }
        guard let trial = try request.query.one("trial").flatMap({ Int($0) }) else {
            throw Problem.badRequest("trial is the number of a trial")
        }
        var bytes: [UInt8] = []
        while true {
            let piece = try await ask(GetTriedPicture(trial, from: bytes.count), request)
            guard let more = Base64.bytes(piece.base64), !more.isEmpty else { break }
            bytes += more
            if bytes.count >= piece.byteCount { break }
        }
        // Written before the picture is sent, so that the look is known in any case.
        await looks?.record(.livePicture, request)
        var headers: HTTPFields = [.contentType: "image/jpeg"]
        headers[.cacheControl] = "no-store"
        return WebResponse(headers: headers, body: .bytes(bytes))
    }
}

/// Other settings of the owner.
struct CameraSettingsBody: Decodable, Sendable {
    /// `tag` of what the change was made from; without one it is made in any case.
    let tag: String?
    /// All of the owner's settings, as in `eyes.json`.
    let settings: EntryFields
}

/// The last change, to be taken back.
struct CameraUndoBody: Decodable, Sendable {
    let tag: String?
}

/// Settings to try; an empty body tries those in use.
struct CameraTrialBody: Decodable, Sendable {
    let settings: EntryFields?
}

/// `/camera/settings`.
struct CameraSettingsView: Decodable, Sendable {
    struct Setting: Decodable, Sendable {
        let key: String
        let kind: EntryField.Kind
        /// The value in effect as JSON text, such as `["18:00-08:00"]`.
        let value: String
        let origin: SettingReport.Origin
        let low: Double?
        let high: Double?
    }

    let tag: String
    let isOn: Bool
    let canUndo: Bool
    /// The file that counts more than what is set here.
    let file: String
    let hasProgram: Bool
    let trouble: String?
    /// Why parts that stay black lie elsewhere in the live picture.
    let coverTrouble: String?
    /// The owner's settings alone, as in `eyes.json`.
    let own: EntryFields
    let settings: [Setting]
    let cameras: [EyesReport.Camera]

    /// The answer, with the owner's settings as the camera gave them.
    static func json(_ report: CameraSettingsReport) -> WebResponse {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("tag", report.tag)
            json.member("isOn", report.isOn)
            json.member("canUndo", report.canUndo)
            json.member("file", report.file)
            json.member("hasProgram", report.hasProgram)
            if let trouble = report.trouble { json.member("trouble", trouble) }
            if let trouble = report.coverTrouble { json.member("coverTrouble", trouble) }
            json.member("own", json: report.own)
            json.array("settings", report.settings) { json, setting in
                json.object { json in
                    json.member("key", setting.key)
                    json.member("kind", setting.kind.rawValue)
                    json.member("value", setting.value)
                    json.member("origin", setting.origin.rawValue)
                    if let low = setting.low { json.member("low", low) }
                    if let high = setting.high { json.member("high", high) }
                }
            }
            json.array("cameras", report.cameras) { json, camera in
                json.object { json in
                    json.member("device", camera.device)
                    json.member("path", camera.path)
                    json.member("name", camera.name)
                }
            }
        }
        return .json(json.text)
    }
}

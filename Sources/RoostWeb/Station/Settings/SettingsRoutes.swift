import ControlProtocol
import Core
import HTTPTypes
import StoreQueries

/// The station's settings, with a schema that pages are made from.
struct SettingsRoutes: Sendable {
    let questions: StationQuestions
    /// The machine's zone.
    let zone: String
    /// The server of map pictures that an option of the program names, which counts; nil for none.
    let tiles: TileServer?

    var all: [Route] {
        [
            Route(.get, "/api/v1/settings", .owner, scope: .read) { _ in
                try answer(try await questions.ask(GetSettings()))
            }
            .about("Settings and where each comes from.", answers: SettingsView.self),
            Route(.patch, "/api/v1/settings", .owner) { try await change($0) }
                .about(
                    "Changes settings by a merge patch.",
                    headers: [Self.match],
                    takes: [String: String?].self,
                    answers: SettingsView.self
                ),
        ]
    }

    private static let match = RequestHeader(
        "If-Match",
        orRefuse: Problem(
            .precondition,
            "send If-Match with the ETag of GET /settings, so that no change is lost"
        )
    )

    /// A merge patch: null takes a setting back.
    private func change(_ request: WebRequest) async throws -> WebResponse {
        let match = try Self.match.value(in: request)
        try check(request)
        let question = ChangeSettings(
            String(decoding: request.body, as: UTF8.self),
            tag: match.flatMap(EntityTag.value)
        )
        return try answer(try await questions.ask(question, for: request))
    }

    private struct Checked: Decodable {
        let zone: String?
        let tiles: String?
    }

    /// The station knows a zone's form; which zones there are is a question of this machine.
    private func check(_ request: WebRequest) throws {
        let given = try request.decoded(Checked.self)
        if tiles != nil, given.tiles != nil {
            throw Problem(.conflict, "--tiles of roost-web names the map's server, which counts")
        }
        guard let name = given.zone, Zone(named: name) == nil else { return }
        throw Problem.outOfRange(
            "zone",
            "there is no zone \(name.prefix(40)); use a name such as Europe/Berlin"
        )
    }

    private func answer(_ report: SettingsReport) throws -> WebResponse {
        var answer = try WebResponse.json(SettingsView(report, machineZone: zone, tiles: tiles))
        answer.headers[.eTag] = "\"\(report.tag)\""
        return answer
    }
}

/// `/settings`: the values, where each comes from, and a schema that pages are made from.
struct SettingsView: Codable, Sendable {
    struct Schema: Codable, Sendable {
        let type: String
        let properties: [String: Property]
    }

    struct Property: Codable, Sendable {
        let type: String
        let title: String
        let description: String
        let `enum`: [String]?
        let maxLength: Int
        let readOnly: Bool
    }

    let schema: Schema
    let values: [String: String?]
    let origins: [String: SettingReport.Origin]

    /// - Parameters:
    ///   - machineZone: Where the station has no zone.
    ///   - tiles: Counts in place of the station's, as the file does; nil for none.
    init(_ report: SettingsReport, machineZone: String, tiles: TileServer?) {
        func isLocked(_ setting: SettingReport) -> Bool {
            setting.origin == .file || setting.key == "tiles" && tiles != nil
        }
        func byKey<Value>(_ value: (SettingReport) -> Value) -> [String: Value] {
            Dictionary(report.settings.map { ($0.key, value($0)) }) { $1 }
        }
        values = byKey { setting in
            let fixed = setting.key == "tiles" ? tiles?.template : nil
            return fixed ?? setting.value ?? (setting.kind == .zone ? machineZone : nil)
        }
        origins = byKey { isLocked($0) ? .file : $0.origin }
        schema = Schema(
            type: "object",
            properties: byKey { setting in
                Property(
                    type: "string",
                    title: setting.title,
                    description: setting.description,
                    enum: setting.choices,
                    maxLength: setting.longest,
                    readOnly: isLocked(setting)
                )
            }
        )
    }
}

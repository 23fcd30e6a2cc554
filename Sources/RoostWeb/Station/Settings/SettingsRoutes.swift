import ControlProtocol
import HTTPTypes
import StoreQueries

/// The station's settings, with a schema that pages are made from.
struct SettingsRoutes: Sendable {
    let questions: StationQuestions
    /// The machine's zone.
    let zone: String

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
        try checkZone(request)
        let question = ChangeSettings(
            String(decoding: request.body, as: UTF8.self),
            tag: match.flatMap(EntityTag.value)
        )
        return try answer(try await questions.ask(question, for: request))
    }

    private struct Zoned: Decodable { let zone: String? }

    /// The station knows a zone's form; which zones there are is a question of this machine.
    private func checkZone(_ request: WebRequest) throws {
        guard let name = try request.decoded(Zoned.self).zone, Zone(named: name) == nil else {
            return
        }
        throw Problem.outOfRange(
            "zone",
            "there is no zone \(name.prefix(40)); use a name such as Europe/Berlin"
        )
    }

    private func answer(_ report: SettingsReport) throws -> WebResponse {
        var answer = try WebResponse.json(SettingsView(report, machineZone: zone))
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

    init(_ report: SettingsReport, machineZone: String) {
        func byKey<Value>(_ value: (SettingReport) -> Value) -> [String: Value] {
            Dictionary(report.settings.map { ($0.key, value($0)) }) { $1 }
        }
        values = byKey { $0.value ?? ($0.kind == .zone ? machineZone : nil) }
        origins = byKey(\.origin)
        schema = Schema(
            type: "object",
            properties: byKey { setting in
                Property(
                    type: "string",
                    title: setting.title,
                    description: setting.description,
                    enum: setting.choices,
                    maxLength: setting.longest,
                    readOnly: setting.origin == .file
                )
            }
        )
    }
}

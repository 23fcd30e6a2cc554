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
            Route(.get, "/api/v1/settings", .owner) { _ in
                answer(try await questions.ask(GetSettings()))
            },
            Route(.patch, "/api/v1/settings", .owner, body: .form) { try await change($0) },
        ]
    }

    /// A merge patch: null takes a setting back.
    private func change(_ request: WebRequest) async throws -> WebResponse {
        guard let match = request.headers[.ifMatch] else {
            throw Problem(
                .precondition,
                "send If-Match with the ETag of GET /settings, so that no change is lost"
            )
        }
        try checkZone(request)
        let question = ChangeSettings(
            String(decoding: request.body, as: UTF8.self),
            tag: match == "*" ? nil : Self.tag(match)
        )
        return answer(try await questions.ask(question, for: request))
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

    /// Returns the tag in `"5f2a"` or `W/"5f2a"`.
    private static func tag(_ match: String) -> String {
        let parts = match.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : match
    }

    private func answer(_ report: SettingsReport) -> WebResponse {
        var json = JSONTextBuilder()
        json.object { json in
            json.object("schema") { json in
                json.member("type", "object")
                json.object("properties") { json in
                    for setting in report.settings {
                        json.object(setting.key) { json in write(setting, &json) }
                    }
                }
            }
            json.object("values") { json in
                for setting in report.settings {
                    json.member(setting.key, setting.value ?? fallback(setting))
                }
            }
            json.object("origins") { json in
                for setting in report.settings {
                    json.member(setting.key, setting.origin.rawValue)
                }
            }
        }
        var answer = WebResponse.json(json.text)
        answer.headers[.eTag] = "\"\(report.tag)\""
        return answer
    }

    private func fallback(_ setting: SettingReport) -> String? {
        setting.kind == .zone ? zone : nil
    }

    private func write(_ setting: SettingReport, _ json: inout JSONTextBuilder) {
        json.member("type", "string")
        json.member("title", setting.title)
        json.member("description", setting.description)
        json.member("maxLength", setting.longest)
        json.member("readOnly", setting.origin == .file)
    }
}

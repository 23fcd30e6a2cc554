import ControlProtocol
import FoundationEssentials
import HTTPTypes

/// The AirQuality project's push server: phones register at `/`, programs notify at `/notify`.
///
/// The courier keeps the phones and sends; a request is checked as a whole before it counts.
///
/// - Source: harr1424/Indoor-Air-Quality, `main.go`.
struct PushFace: Sendable {
    /// A token has 400 digits at most.
    private static let bodyMax = 4_096

    let courier: (any QuestionClient)?

    var face: Face {
        Face(
            name: .push,
            places: [
                Face.Place(path: "", method: .post, body: .any(maxBytes: Self.bodyMax)) {
                    try await register($0)
                },
                Face.Place(path: "notify", method: .post, body: .any(maxBytes: Self.bodyMax)) {
                    try await notify($0)
                },
            ]
        )
    }

    /// One value in a JSON body.
    private enum Member: Decodable {
        case text(String)
        case number(Double)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .other
            }
        }

        var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    /// The members by their names in small letters, as Go reads them.
    private static func members(_ request: WebRequest) -> [String: Member]? {
        let found: [String: Member]
        do {
            found = try JSONDecoder().decode([String: Member].self, from: Data(request.body))
        } catch {
            return nil
        }
        return Dictionary(found.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    private func register(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: [])
        guard let members = Self.members(request), let id = members["id"]?.text else {
            return Face.refusal("send {\"ID\": \"32 to 400 hexadecimal digits\"}\n")
        }
        var push = SubscribePush(kind: "apns", address: id)
        switch members["interval"] {
        case nil: break
        case .number(let minutes)
        where (1...1_440).contains(minutes) && minutes == minutes.rounded():
            push.every = Int(minutes) * 60
        default: return Face.refusal("interval is 1 to 1440 whole minutes\n")
        }
        let question = push
        return try await answer {
            _ = try await courier.demand().ask(question)
            return WebResponse(.created)
        }
    }

    private func notify(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: [])
        let members = Self.members(request) ?? [:]
        guard let time = members["time"]?.text, let pollutant = members["pollutant"]?.text,
            let value = members["value"]?.text
        else {
            return Face.refusal(
                "send {\"time\": \"…\", \"pollutant\": \"PM2.5\", \"value\": \"12.3\"}\n"
            )
        }
        let question = NotifySubscribers(time: time, pollutant: pollutant, value: value)
        return try await answer {
            let report = try await courier.demand().ask(question)
            guard report.isTaken else {
                var response = WebResponse.text("Too Many Requests\n")
                response.status = .tooManyRequests
                response.headers[.retryAfter] = "\(report.retryAfterSeconds ?? 1_200)"
                return response
            }
            return WebResponse(.created)
        }
    }

    /// Turns the courier's refusals into a sentence, as these clients expect.
    private func answer(_ body: () async throws -> WebResponse) async throws -> WebResponse {
        do { return try await body() } catch let failure as ControlFailure
            where failure.code == .badRequest
        { return Face.refusal(failure.message + "\n") }
    }
}

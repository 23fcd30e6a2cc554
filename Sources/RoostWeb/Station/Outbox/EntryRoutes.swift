import ControlProtocol
import HTTPTypes
import Profiles

/// Routes to add, change, try and remove targets and receivers, for the owner only.
struct EntryRoutes: Sendable {
    /// Time that a trial may take: each step has its own limit at the courier.
    private static let trialLimit: Duration = .seconds(100)
    /// Time that a change may take: a slow card needs seconds to keep it.
    private static let changeLimit: Duration = .seconds(20)
    /// Time for a search of the network.
    private static let searchLimit: Duration = .seconds(15)

    /// The courier; nil for a card without its station.
    let courier: (any QuestionClient)?

    var all: [Route] {
        [
            Route(.put, "/api/v1/outbox/{id}", .owner) { try await configure($0) }
                .about(
                    "Adds a target or a receiver, or changes one that was added so.",
                    takes: EntryBody.self,
                    answers: OutboxView.self
                ),
            Route(.delete, "/api/v1/outbox/{id}", .owner) { request in
                let question = RemoveEntry(Self.id(request))
                let report = try await ask(question, request, within: Self.changeLimit)
                return try .json(OutboxView(report))
            }
            .about(
                "Removes a target or receiver that was added; those of courier.json stay.",
                answers: OutboxView.self
            ),
            Route(.post, "/api/v1/outbox/{id}/undo", .owner) { request in
                let question = UndoEntry(Self.id(request))
                let report = try await ask(question, request, within: Self.changeLimit)
                return try .json(OutboxView(report))
            }
            .about(
                "Takes the last change of a target or receiver back, with its secrets.",
                answers: OutboxView.self
            ),
            Route(.get, "/api/v1/outbox/kinds", .owner) { request in
                try .json(try await ask(GetEntryKinds(), request))
            }
            .about(
                "The types of targets and receivers, each with its options.",
                answers: EntryKindsReport.self
            ),
            Route(.get, "/api/v1/outbox/nearby", .owner) { request in
                let report = try await courier?.askIfRunning(
                    FindNearby(),
                    within: Self.searchLimit
                )
                return .json(try ControlCodec.line(report ?? NearbyReport(.noCourier)))
            }
            .about(
                "Brokers and Home Assistants that announce themselves on the local network.",
                answers: NearbyReport.self
            ),
            Route(.get, "/api/v1/outbox/{id}/entry", .owner) { request in
                EntryView.json(try await ask(GetEntry(Self.id(request)), request))
            }
            .about(
                "The options of a target or receiver, without values of secrets.",
                answers: EntryView.self
            ),
            Route(.post, "/api/v1/outbox/{id}/try", .owner) { try .json(try await tried($0)) }
                .about(
                    "Tries the way to a target or receiver, as it is or as it would be.",
                    takes: TrialBody.self,
                    answers: EntryTrialReport.self
                ),
        ]
    }

    private static func id(_ request: WebRequest) -> String { request.parameters["id"] ?? "" }

    private func ask<Asked: Question>(
        _ question: Asked,
        _ request: WebRequest,
        within limit: Duration? = nil
    ) async throws -> Asked.Answer {
        try await courier.demand().ask(question, for: request.actor, within: limit)
    }

    private func configure(_ request: WebRequest) async throws -> WebResponse {
        let body = try request.decoded(EntryBody.self)
        let question = ConfigureEntry(
            Self.id(request),
            in: body.section,
            try Self.entry(request) ?? "{}",
            secrets: body.secrets
        )
        let report = try await ask(question, request, within: Self.changeLimit)
        return try .json(OutboxView(report))
    }

    private func tried(_ request: WebRequest) async throws -> EntryTrialReport {
        var question = TryEntry(Self.id(request))
        if !request.body.isEmpty {
            let body = try request.decoded(TrialBody.self)
            (question.section, question.secrets) = (body.section, body.secrets)
            (question.entry, question.sends) = (try Self.entry(request), body.sends)
            try question.check()
        }
        return try await ask(question, request, within: Self.trialLimit)
    }

    /// The text of `entry`, which the courier reads; nil without one.
    private static func entry(_ request: WebRequest) throws -> String? {
        guard case .object(let fields) = try JSONParser.parse(request.body) else { return nil }
        return fields["entry"]?.text
    }
}

/// A new or changed target or receiver.
struct EntryBody: Decodable, Sendable {
    let section: EntrySection
    /// As in `courier.json`, without its id and without secrets.
    let entry: EntryFields
    /// Values of secrets by their keys; one that is left out keeps its value.
    let secrets: [String: String]?
}

/// What a trial is of; an empty body tries the entry as it is.
struct TrialBody: Decodable, Sendable {
    let section: EntrySection?
    let entry: EntryFields?
    let secrets: [String: String]?
    /// Whether a receiver is sent a message that is marked as a test.
    let sends: Bool?
}

/// Options of an entry: any object of JSON, which only the courier reads.
struct EntryFields: Decodable, Sendable, SchemaRecorder.SchemaGiven {
    static let schema = JSONSchema.object([:])
    static let sample = EntryFields()
}

/// `/outbox/{id}/entry`.
struct EntryView: Decodable, Sendable {
    let id: String
    let section: EntrySection
    let origin: SettingReport.Origin
    /// As in `courier.json`; a secret is `{"secret": "NAME"}`.
    let entry: EntryFields

    /// The answer, with the options as the courier gave them.
    static func json(_ report: EntryReport) -> WebResponse {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("id", report.id)
            json.member("section", report.section.rawValue)
            json.member("origin", report.origin.rawValue)
            json.member("entry", json: report.entry)
        }
        return .json(json.text)
    }
}

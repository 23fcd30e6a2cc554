import ControlProtocol
import HTTPTypes

/// Why a request was refused, as `application/problem+json` (RFC 9457).
package struct Problem: Error, Hashable, Sendable {
    /// One place of the request, and what is wrong there.
    package struct Place: Decodable, Hashable, Sendable {
        /// `/points`: the key of the query or the path in the body.
        package let pointer: String
        package let detail: String
    }

    package let kind: RefusalCode
    package let detail: String
    package var places: [Place] = []
    /// What exactly is wrong, for a page in its person's language; nil where the kind says it.
    package var reason: RefusalReason?
    package var headers: HTTPFields = [:]

    package init(
        _ kind: RefusalCode,
        _ detail: String,
        places: [Place] = [],
        _ reason: RefusalReason? = nil,
        headers: HTTPFields = [:]
    ) {
        self.kind = kind
        self.detail = detail
        self.places = places
        self.reason = reason
        self.headers = headers
    }

    static func badRequest(_ detail: String) -> Problem { Problem(.badRequest, detail) }

    static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    package static func outOfRange(_ field: String, _ detail: String) -> Problem {
        Problem(.outOfRange, detail, places: [Place(pointer: "/" + field, detail: detail)])
    }

    static func unknownField(_ field: String, _ next: String) -> Problem {
        Problem(
            .unknownField,
            "\(field.prefix(40)) is not known: \(next)",
            places: [Place(pointer: "/" + field.prefix(40), detail: next)]
        )
    }
}

/// A refusal as `WebResponse` writes it.
struct ProblemView: Decodable, Sendable {
    let type: String
    let title: String
    let status: Int
    let detail: String
    /// What exactly is wrong, in one word; without it `type` says it.
    let reason: String?
    let errors: [Problem.Place]?
}

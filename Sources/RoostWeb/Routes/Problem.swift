import HTTPTypes

/// Why a request was refused, as `application/problem+json` (RFC 9457).
package struct Problem: Error, Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case badRequest = "bad-request"
        case unknownField = "unknown-field"
        case outOfRange = "out-of-range"
        case unauthenticated
        case unclaimed
        case forbidden
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case conflict
        case gone
        case precondition
        case tooLarge = "too-large"
        case unsupportedMedia = "unsupported-media"
        case rateLimited = "rate-limited"
        case wrongHost = "wrong-host"
        case crossOrigin = "cross-origin"
        case stationDown = "station-down"
        case store
        case busy
        case `internal`
        case notOffered = "not-offered"
        case rangeNotSatisfiable = "range-not-satisfiable"

        package var status: HTTPResponse.Status {
            switch self {
            case .badRequest, .unknownField, .outOfRange: .badRequest
            case .unauthenticated, .unclaimed: .unauthorized
            case .forbidden, .crossOrigin: .forbidden
            case .notFound, .notOffered: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .conflict: .conflict
            case .gone: .gone
            case .precondition: .preconditionFailed
            case .tooLarge: .contentTooLarge
            case .unsupportedMedia: .unsupportedMediaType
            case .rateLimited: .tooManyRequests
            case .wrongHost: .misdirectedRequest
            case .stationDown, .store, .busy: .serviceUnavailable
            case .internal: .internalServerError
            case .rangeNotSatisfiable: .rangeNotSatisfiable
            }
        }

        package var title: String {
            switch self {
            case .badRequest: "The request cannot be understood"
            case .unknownField: "A field is not known"
            case .outOfRange: "A value is out of range"
            case .unauthenticated: "Log in first"
            case .unclaimed: "This station has no owner yet"
            case .forbidden: "Your role does not allow this"
            case .notFound: "There is nothing at this address"
            case .methodNotAllowed: "This address does not take that method"
            case .conflict: "It is in conflict with what is there"
            case .gone: "It is not there any more"
            case .precondition: "It changed meanwhile"
            case .tooLarge: "The request is too large"
            case .unsupportedMedia: "The body has the wrong type"
            case .rateLimited: "Too many requests"
            case .wrongHost: "This station does not have that name"
            case .crossOrigin: "The request comes from another site"
            case .stationDown: "The station's program does not answer"
            case .store: "What is stored cannot be read or written"
            case .busy: "Too much is going on"
            case .internal: "The dashboard failed"
            case .notOffered: "This station does not offer it"
            case .rangeNotSatisfiable: "No byte of that range is there"
            }
        }
    }

    /// One place of the request, and what is wrong there.
    package struct Place: Hashable, Sendable {
        /// `/points`: the key of the query or the path in the body.
        package let pointer: String
        package let detail: String
    }

    package let kind: Kind
    package let detail: String
    package var places: [Place] = []
    package var headers: HTTPFields = [:]

    package init(_ kind: Kind, _ detail: String, places: [Place] = [], headers: HTTPFields = [:]) {
        self.kind = kind
        self.detail = detail
        self.places = places
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

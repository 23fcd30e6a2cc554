import HTTPTypes

/// The meaning of a problem and the next step, shown at the address that its `type` names.
package struct ProblemAdvice: Hashable, Sendable {
    package let means: String
    package let next: String

    package init(_ kind: Problem.Kind) {
        (means, next) = Self.request(kind) ?? Self.person(kind) ?? Self.station(kind)
    }

    private static func request(_ kind: Problem.Kind) -> (String, String)? {
        switch kind {
        case .badRequest:
            ("A part of the request is missing or has the wrong form.", "`detail` names the place.")
        case .unknownField:
            (
                "The request has a key that this address does not know.",
                "Leave it out; `detail` names those that are known."
            )
        case .outOfRange:
            ("A value is not among those allowed.", "`errors` has the place and the range.")
        case .notFound:
            (
                "Nothing has this address, or what it names is not there.",
                "GET /api/v1/openapi.json lists all addresses."
            )
        case .methodNotAllowed:
            ("The address exists and does not take this method.", "`Allow` lists those it takes.")
        case .rangeNotSatisfiable:
            ("No byte of the range is there.", "Ask without `Range`, or for a part of the length.")
        case .tooLarge:
            ("The request is larger than the station reads.", "Send less; `detail` has the limit.")
        case .unsupportedMedia:
            ("The body is not JSON.", "Send it as `Content-Type: application/json`.")
        case .conflict:
            ("It is there already, or another setting decides it.", "`detail` says which.")
        case .gone: ("It was there and is not any more.", "Ask for the list again.")
        case .precondition:
            (
                "It changed since it was read.",
                "Read it again, and send the change with its new tag."
            )
        default: nil
        }
    }

    private static func person(_ kind: Problem.Kind) -> (String, String)? {
        switch kind {
        case .unauthenticated:
            (
                "There is no session and no valid token.",
                "Log in, or send `Authorization: Bearer` with a token of the page Account."
            )
        case .unclaimed:
            (
                "The station has no owner, so it answers nothing else.",
                "Open the station's page: it names the ways, a code on the card, a button, a shell."
            )
        case .forbidden:
            ("The account or token is known, and may not do this.", "Ask the station's owner.")
        case .crossOrigin:
            (
                "A page of another address asked for a change.",
                "Use the station's own page, or a token."
            )
        case .wrongHost:
            (
                "The request names a host that this station is not.",
                "Use its name, its address, or add the name with `--host`."
            )
        case .rateLimited:
            ("More requests came than are allowed.", "Wait as long as `Retry-After` says.")
        default: nil
        }
    }

    private static func station(_ kind: Problem.Kind) -> (String, String) {
        switch kind {
        case .stationDown:
            (
                "The station's program does not run, or runs and does not answer.",
                "On the station: systemctl status roostd, and journalctl -u roostd."
            )
        case .store:
            (
                "The history or the accounts cannot be read or written.",
                "On the station: roost doctor, and sudo roost store check."
            )
        case .busy:
            ("As much as it can do at once is in progress.", "Try again after `Retry-After`.")
        case .notOffered:
            (
                "This is a card's history without a station, or the part is switched off.",
                "Ask the running station."
            )
        default:
            (
                "The dashboard failed, and this is its mistake.",
                "Try again; journalctl -u roost-web has the cause. Please report it."
            )
        }
    }

    /// Answers the addresses in `type`, for people and for programs, before there is an owner too.
    package static let routes = [
        Route(.get, "/problems/{type}", .anyone) { request in
            let (kind, advice) = try known(request)
            return .text("\(kind.title)\n\n\(advice.means)\n\(advice.next)\n")
        },
        Route(.get, "/api/v1/problems/{type}", .anyone) { request in
            let (kind, advice) = try known(request)
            var json = JSONTextBuilder()
            json.object { json in
                json.member("type", "/problems/" + kind.rawValue)
                json.member("title", kind.title)
                json.member("status", Int(kind.status.code))
                json.member("means", advice.means)
                json.member("next", advice.next)
            }
            return .json(json.text)
        },
    ]

    private static func known(
        _ request: WebRequest
    ) throws -> (kind: Problem.Kind, advice: ProblemAdvice) {
        try request.query.allow(only: [])
        guard let kind = Problem.Kind(rawValue: request.parameters["type"] ?? "") else {
            let all = Problem.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.notFound("there is no such type; there are \(all)")
        }
        return (kind, ProblemAdvice(kind))
    }
}

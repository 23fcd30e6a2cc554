/// Why a request is refused, on the local sockets, over HTTP and on the command line.
///
/// The status, the exit code and the title of a refusal come from its code and from nowhere else.
package enum RefusalCode: String, Hashable, Sendable, CaseIterable {
    case badRequest = "bad-request"
    case unknownField = "unknown-field"
    case outOfRange = "out-of-range"
    /// A client of another protocol version.
    case wrongVersion = "wrong-version"
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
    /// A program sent an answer that cannot be read.
    case badAnswer = "bad-answer"
    /// Something was done that is not written down.
    case notKept = "not-kept"
    case store
    /// Another program than the station's, such as a target's server, does not answer.
    case unreachable
    case busy
    case `internal`
    case notOffered = "not-offered"
    case rangeNotSatisfiable = "range-not-satisfiable"

    /// Status of HTTP (RFC 9110, section 15), 400…599.
    package var status: Int { facts.status }

    /// One short sentence, the same for all refusals of this code.
    package var title: String { facts.title }

    /// Exit code of a command that is refused; 69 is `EX_UNAVAILABLE` of sysexits.h.
    package var exitCode: Int32 { self == .stationDown ? 69 : 1 }

    private var facts: (status: Int, title: String) {
        switch self {
        case .badRequest: (400, "The request cannot be understood")
        case .unknownField: (400, "A field is not known")
        case .outOfRange: (400, "A value is out of range")
        case .wrongVersion: (400, "Client and station speak different versions")
        case .unauthenticated: (401, "Log in first")
        case .unclaimed: (401, "This station has no owner yet")
        case .forbidden: (403, "Your role does not allow this")
        case .notFound: (404, "There is nothing at this address")
        case .methodNotAllowed: (405, "This address does not take that method")
        case .conflict: (409, "It is in conflict with what is there")
        case .gone: (410, "It is not there any more")
        case .precondition: (412, "It changed meanwhile")
        case .tooLarge: (413, "The request is too large")
        case .unsupportedMedia: (415, "The body has the wrong type")
        case .rateLimited: (429, "Too many requests")
        case .wrongHost: (421, "This station does not have that name")
        case .crossOrigin: (403, "The request comes from another site")
        case .stationDown: (503, "The station's program does not answer")
        case .badAnswer: (502, "The station's answer cannot be read")
        case .notKept: (503, "It is done, and a restart forgets it")
        case .store: (503, "What is stored cannot be read or written")
        case .unreachable: (502, "A server does not answer")
        case .busy: (503, "Too much is going on")
        case .internal: (500, "The program failed")
        case .notOffered: (404, "This station does not offer it")
        case .rangeNotSatisfiable: (416, "No byte of that range is there")
        }
    }
}

extension RefusalCode: Codable {
    /// Reads a code; one that another build knows and this one does not is `internal`.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self = RefusalCode(rawValue: text) ?? .internal
    }
}

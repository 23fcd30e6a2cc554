import Profiles

/// A service that takes notices over HTTP, described by a file instead of by code.
///
/// `courier-presets/` has the shipped ones and the schema.
package struct Preset: Hashable, Sendable {
    /// A setting that the owner's configuration has to give.
    package struct Setting: Hashable, Sendable {
        package let name: String
        /// Whether the configuration gives it by the name of a secret.
        let isSecret: Bool
        /// Where to find the value, for people.
        package let about: String
        /// Value that holds where the owner sets none.
        package let fallback: String?
        /// Whether it may be left out, and is then empty.
        let isOptional: Bool
    }

    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: Template
    }

    package enum Format: String, Hashable, Sendable, CaseIterable {
        case json, text
    }

    /// A condition that an answer meets.
    package struct Condition: Hashable, Sendable {
        /// Status codes of which one must match; empty for any.
        package var statuses: [Int] = []
        /// Text that the body must contain; nil for any.
        package var contains: String?
        /// Expected values of the JSON by their path, such as `error.code`.
        package var json: [String: Expected] = [:]
    }

    /// Expected content at one place of an answer's JSON.
    package enum Expected: Hashable, Sendable {
        case present
        case value(JSONValue)
        /// A text with values of the request, such as the topic that a notice was sent to.
        case text(Template)
    }

    /// Meaning of an answer that is not the proof of delivery.
    package struct Rule: Hashable, Sendable {
        enum Meaning: String, Hashable, Sendable, CaseIterable {
            case delivered, later, hold, refused
        }

        package let when: Condition
        let meaning: Meaning
        /// Sentence for people; nil says what the server did.
        package let description: String?
        /// Path in the answer's JSON to the seconds to wait, such as `parameters.retry_after`.
        let waitPath: String?
        /// Seconds to wait; nil for the usual back-off.
        package let waitSeconds: Int?
    }

    /// How a notice with a picture is sent.
    package struct Picture: Hashable, Sendable {
        package let method: OutboundRequest.Method
        package let url: Template
        package let headers: [Header]
        /// Name of the form's file field; nil where the body is the picture itself.
        package let file: String?
        /// The form's other fields.
        package let fields: [Header]
    }

    /// A request that asks a service whether it knows the account.
    package struct Probe: Hashable, Sendable {
        package let url: Template
        package let headers: [Header]
    }

    package let id: String
    package let name: String
    /// Instruction for people: what to do at the service.
    package let about: String
    package let settings: [Setting]
    package let method: OutboundRequest.Method
    package let url: Template
    package let headers: [Header]
    package let body: Template
    package let format: Format
    package let proof: Condition
    /// Rules that are tried before the proof; the first match counts.
    package let rules: [Rule]
    /// Names of values without which a notice is not sent.
    package let needs: Set<String>
    /// Whether a later notice about the same alert replaces an unseen one.
    package let replaces: Bool
    /// Time that notices wait to be sent together, 0 to 3 600 s; nil for the usual time.
    package var wait: Duration?
    /// Whether one message can be about several alerts.
    var isGrouped = true
    /// How the service takes pictures; nil for a service that takes none.
    package var picture: Picture?
    /// A request that sends nothing and succeeds for an account that the service knows.
    package var probe: Probe?

    /// Returns the names that the preset's templates may use.
    package static func names(_ settings: [Setting]) -> Set<String> {
        NoticeValues.names.union(settings.map(\.name))
    }
}

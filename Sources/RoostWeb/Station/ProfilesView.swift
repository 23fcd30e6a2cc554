import ControlProtocol

/// `/profiles`: the kinds of devices that the station knows.
struct ProfilesView: Codable, Sendable {
    struct Profile: Codable, Sendable {
        let id: String
        let kind: String
        let name: String
        let words: String
        @OrNull var driver: String?
        let isOwn: Bool
        @OrNull var periodSeconds: Double?
        @OrNull var warmUpSeconds: Double?
        @OrNull var preheatSeconds: Double?
        let channels: [ProfileReport.Channel]
    }

    let items: [Profile]

    init(_ report: ProfilesReport) {
        items = report.profiles.map { profile in
            Profile(
                id: profile.id,
                kind: profile.kind,
                name: profile.name,
                words: profile.words,
                driver: profile.driver,
                isOwn: profile.isOwn,
                periodSeconds: profile.periodSeconds,
                warmUpSeconds: profile.warmUpSeconds,
                preheatSeconds: profile.preheatSeconds,
                channels: profile.channels
            )
        }
    }
}

/// `/profiles/check`: the mistakes of a profile.
struct ProfileCheckView: Codable, Sendable {
    struct Mistake: Codable, Sendable {
        /// JSON Pointer (RFC 6901).
        let pointer: String
        let reason: String
        @OrNull var suggestion: String?
    }

    @OrNull var id: String?
    let isRight: Bool
    let mistakes: [Mistake]

    init(_ report: ProfileCheckReport) {
        isRight = report.mistakes.isEmpty
        mistakes = report.mistakes.map {
            Mistake(
                pointer: Self.pointer($0.place),
                reason: $0.reason,
                suggestion: $0.suggestion
            )
        }
        id = report.id
    }

    /// `channels[0].unit` as a JSON Pointer (RFC 6901): `/channels/0/unit`.
    static func pointer(_ place: String) -> String {
        guard !place.isEmpty else { return "" }
        var text = "/"
        for character in place {
            switch character {
            case ".", "[": text += "/"
            case "]": break
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
        return text
    }
}

import ControlProtocol

/// Name and e-mail address from a form, checked.
struct NewPerson: Hashable, Sendable {
    let name: String
    let email: String

    /// - Throws: `Problem` `bad-request` with all places at once.
    init(
        name: String,
        email: String,
        password: (text: String, role: Role, pointer: String)? = nil,
        station: String = ""
    ) throws {
        self.name = Self.trimmed(name)
        self.email = Self.trimmed(email)
        var places: [Problem.Place] = []
        if let words = Self.objection(toName: self.name) {
            places.append(Problem.Place(pointer: "/name", detail: words))
        }
        if let words = Self.objection(toEmail: self.email) {
            places.append(Problem.Place(pointer: "/email", detail: words))
        }
        let known = [self.name, self.email, station]
        if let password,
            let words = PasswordRule.objection(password.text, password.role, known: known)
        {
            places.append(Problem.Place(pointer: password.pointer, detail: words))
        }
        guard let first = places.first else { return }
        throw Problem(
            .badRequest,
            "\(first.pointer.dropFirst()): \(first.detail)",
            places: places
        )
    }

    static func objection(toName name: String) -> String? {
        guard (1...64).contains(name.count), name.utf8.count <= 128 else {
            return "a name has 1 to 64 characters"
        }
        return isPlain(name) ? nil : "a name has no control characters"
    }

    private static func objection(toEmail email: String) -> String? {
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, email.utf8.count <= 254,
            isPlain(email), !email.contains(where: \.isWhitespace)
        else { return "an e-mail address looks like anna@example.org" }
        return nil
    }

    /// Also refuses characters that turn the direction of text, which make one name look like
    /// another.
    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            // Two joiners, which Persian and emoji need, turn nothing.
            $0 == "\u{200C}" || $0 == "\u{200D}"
                || ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate].contains(
                    $0.properties.generalCategory
                )
        }
    }

    static func trimmed(_ text: String) -> String {
        let end = text.lastIndex { !$0.isWhitespace }
        guard let start = text.firstIndex(where: { !$0.isWhitespace }), let end else { return "" }
        return String(text[start...end])
    }
}

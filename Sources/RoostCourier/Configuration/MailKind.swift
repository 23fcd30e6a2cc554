import Core
import Profiles

/// Parser of the receivers in `courier.json` that get notices by mail.
enum MailKind {
    static let name = "smtp"
    private static let recipientLimit = 10

    static func read(
        _ reader: inout EntryReader,
        _ common: inout ReceiverOptions
    ) -> TargetDependencies.MakeReceiver? {
        // People read mail later than a push message.
        if !reader.object.has("everySeconds") { common.every = .seconds(3_600) }
        reader.object.record(usual: ["everySeconds": "3600"])
        let url = reader.url("url", schemes: ["smtps", "smtp"])
        let from = reader.object.required("from").flatMap { address($0, "from", reader.object) }
        let recipients = recipients(&reader)
        let user = reader.object.string("user")
        let password = reader.secret("password", isRequired: user != nil)
        if user == nil, password != nil {
            reader.object.problem("user", "is missing: a password belongs to a user")
        }
        let allowsPlain = reader.flag("allowPlain", usual: false)
        if allowsPlain, password != nil {
            reader.object.problem("allowPlain", "would send the password for all to read")
        }
        guard let url, let from, let recipients else { return nil }
        var envelope = MailMessage(
            url: MaskedText(url),
            from: from,
            recipients: recipients,
            bytes: []
        )
        (envelope.user, envelope.trust) = (user, common.trust)
        envelope.allowsPlain = allowsPlain
        return { [envelope] materials in
            var envelope = envelope
            envelope.password = try password.map(materials.secrets.secret)
            return MailReceiver(envelope, station: materials.station, clock: materials.clock)
        }
    }

    private static func recipients(_ reader: inout EntryReader) -> [String]? {
        let values = reader.object.array("to", limit: recipientLimit)
        if reader.object.value("to") == nil {
            reader.object.problem("to", "is missing: expected [\"NAME@HOST\"]")
        }
        if case .array([])? = reader.object.value("to") {
            reader.object.problem("to", "expected 1 to \(recipientLimit) addresses")
        }
        let found = values.compactMap { value -> String? in
            guard case .string(let text) = value else {
                reader.object.problem("to", "expected addresses, found \(value.shown)")
                return nil
            }
            return address(text, "to", reader.object)
        }
        return found.isEmpty || found.count < values.count ? nil : found
    }

    /// Reads a mail address as an envelope carries it (RFC 5321, 4.1.2): ASCII, without quotes.
    private static func address(
        _ text: String,
        _ key: String,
        _ object: ObjectReader
    ) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !"<>()[]\\,;:\"".utf8.contains(byte)
        }
        guard parts.count == 2, !parts.contains(""), isPlain, text.utf8.count <= 254 else {
            object.problem(key, "expected an address like ann@example.org, found \"\(text)\"")
            return nil
        }
        return text
    }
}

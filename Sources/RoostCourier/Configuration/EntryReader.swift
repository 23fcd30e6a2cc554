import ControlProtocol
import Core
import Profiles

/// Reads one target or receiver of the configuration: common options, and secrets by name.
struct EntryReader {
    var object: ObjectReader
    private(set) var secrets: [SecretName] = []

    init?(_ value: JSONValue, at place: String, _ problems: ProblemList) {
        guard let object = ObjectReader(value, at: place, problems) else { return nil }
        self.object = object
        guard case .object(let fields) = value else { return }
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard case .string(let text) = value, !text.isOneLine else { continue }
            object.problem(key, "expected a text on one line, without control characters")
        }
    }

    mutating func id() -> String? {
        guard let id = object.required("id") else { return nil }
        let isPlain = id.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        guard isPlain, id.utf8.count <= 32 else {
            object.problem("id", "expected 1 to 32 of a…z, 0…9, - and _, found \"\(id)\"")
            return nil
        }
        return id
    }

    /// Reads the name of a secret: `{ "secret": "influx-token" }`.
    mutating func secret(_ key: String, isRequired: Bool = true) -> SecretName? {
        object.record(key, .secret)
        guard let value = object.value(key) else {
            if isRequired {
                object.problem(key, "is missing: expected { \"secret\": \"NAME\" }")
            }
            return nil
        }
        guard case .object(let fields) = value, fields.count == 1,
            case .string(let text)? = fields["secret"]
        else {
            object.problem(
                key,
                "expected { \"secret\": \"NAME\" }: a secret is not written here, where each copy "
                    + "of the file would carry it; store it with `roost secret set NAME`"
            )
            return nil
        }
        guard let name = SecretName(text) else {
            object.problem(key, "expected a name of 1 to 64 letters, digits, ., _ and -")
            return nil
        }
        secrets.append(name)
        return name
    }

    /// Reads a server's URL: `http://HOST` or `https://HOST`, with a port and a path.
    ///
    /// - Parameters:
    ///   - isWhole: Whether it may have a query: no path is added to it.
    ///   - bare: How `HOST` or `HOST:PORT` alone is read; nil where it needs its scheme.
    mutating func url(
        _ key: String,
        schemes: [String] = ["http", "https"],
        isWhole: Bool = false,
        isRequired: Bool = true,
        bare: BareHost? = nil
    ) -> String? {
        object.record(key, .url) { ($0.choices, $0.example) = (schemes, bare?.example) }
        guard let given = isRequired ? object.required(key) : object.string(key) else { return nil }
        let text = bare?.url(given) ?? given
        guard isWhole || !URLText.hasQuery(text) else {
            object.problem(key, "has a ? or # in it: give the address without that part")
            return nil
        }
        let scheme = schemes.first { text.hasPrefix("\($0)://") }
        let rest = scheme.map { text.dropFirst($0.utf8.count + 3) } ?? ""
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        let isClean = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && text.utf8.count <= 2_048
        guard scheme != nil, isClean, !host.isEmpty else {
            let form = schemes.map { "\($0)://HOST" }.joined(separator: " or ")
            // A password is not repeated: messages stand in logs and on pages.
            let found = text.contains("@") ? "another one" : "\"\(text)\""
            let example = bare?.example ?? "\(schemes.first ?? "http")://192.168.1.5"
            object.problem(key, "expected \(form), such as \(example), found \(found)")
            return nil
        }
        guard !host.contains("@") else {
            object.problem(key, "an address holds no name and password: give them as secrets")
            return nil
        }
        return isSound(host, key) ? text : nil
    }

    /// Checks that a port is valid, and that this computer is named only where the owner allows it.
    private mutating func isSound(_ host: Substring, _ key: String) -> Bool {
        let end = host.hasPrefix("[") ? host.firstIndex(of: "]") : host.firstIndex(of: ":")
        let name = end.map { host[..<$0] } ?? host
        let rest = host[(end ?? host.endIndex)...].drop { $0 == "]" }
        if !rest.isEmpty {
            guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()),
                (1...65_535).contains(port)
            else {
                object.problem(key, "expected a port of 1 to 65535, found \(rest.dropFirst())")
                return false
            }
        }
        let isHere = name == "localhost" || name == "[::1" || name.hasPrefix("127.")
        guard !isHere || object.value("local") == .bool(true) else {
            object.problem(key, "is this computer: that needs \"local\": true in the entry")
            return false
        }
        return true
    }

    /// Reads a URL as `url` does; nil without a problem when there is none.
    mutating func optionalURL(
        _ key: String,
        schemes: [String] = ["http", "https"]
    ) -> String? { url(key, schemes: schemes, isRequired: false) }

    /// Reads a URL that may be a secret as a whole.
    mutating func secretURL(_ key: String) -> URLSetting? {
        object.record(key, .secretURL) { $0.choices = ["http", "https"] }
        if case .object? = object.value(key) { return secret(key).map(URLSetting.secret) }
        return url(key, isWhole: true).map(URLSetting.plain)
    }

    /// Reads a text that may be a secret.
    mutating func secretText(_ key: String) -> TextSetting? {
        if case .object? = object.value(key) { return secret(key).map(TextSetting.secret) }
        return object.required(key).map(TextSetting.plain)
    }

    /// Reads `true` or `false`.
    ///
    /// - Parameter usual: What counts without the key; people are shown it.
    mutating func flag(_ key: String, usual: Bool) -> Bool {
        let given = object.bool(key)
        object.record(usual: [key: "\(usual)"])
        return given ?? usual
    }

    /// Reads a whole number.
    mutating func whole(_ key: String, in range: ClosedRange<Double>) -> Int? {
        object.whole(key, in: range)
    }

    /// Returns the member names of an object with 1 to 64 members, sorted.
    mutating func names(_ key: String, example: String, isRequired: Bool = true) -> [String] {
        object.record(key, .map) { $0.example = example }
        guard let value = object.value(key) else {
            if isRequired || object.has(key) {
                object.problem(key, "is missing: expected \(example)")
            }
            return []
        }
        guard case .object(let members) = value, (1...64).contains(members.count) else {
            object.problem(key, "expected 1 to 64 entries like \(example), found \(value.shown)")
            return []
        }
        return members.keys.sorted()
    }

    /// Reads a list of texts, 1…200 bytes each.
    ///
    /// - Parameters:
    ///   - choices: The texts that are allowed; nil for all.
    ///   - limit: Texts at most.
    mutating func texts(_ key: String, in choices: [String]? = nil, limit: Int = 64) -> [String] {
        object.record(key, .list) { $0.choices = choices ?? [] }
        var texts: [String] = []
        for (index, value) in object.array(key, limit: limit).enumerated() {
            guard case .string(let text) = value, (1...200).contains(text.utf8.count) else {
                object.problem("\(key)[\(index)]", "expected a text, found \(value.shown)")
                continue
            }
            if let choices, !choices.contains(text) {
                let all = choices.joined(separator: ", ")
                object.problem(key, "expected some of \(all), found \"\(text)\"")
            }
            texts.append(text)
        }
        return texts
    }

    /// Reads a list of patterns of `device/quantity`, with the bounds of `texts`.
    mutating func patterns(_ key: String) -> [String] {
        let texts = texts(key)
        for (index, text) in texts.enumerated() where !StreamChoice.isPattern(text) {
            object.problem("\(key)[\(index)]", StreamChoice.advice(text))
        }
        return texts
    }

    mutating func trust() -> ServerTrust {
        guard let text = object.string("trust") else { return .system }
        if text == "system" { return .system }
        if text.hasPrefix("sha256//") {
            return .publicKey(sha256: String(text.dropFirst("sha256//".utf8.count)))
        }
        guard text.hasPrefix("/") else {
            object.problem(
                "trust",
                "expected \"system\", the path of a PEM file or sha256//… of a public key"
            )
            return .system
        }
        return .authority(path: text)
    }
}

/// How a server's address without a scheme is read.
struct BareHost {
    /// As a person may type it: `192.168.1.5:1883`.
    let example: String
    /// The scheme that a host goes with, by its port; nil without one.
    let scheme: (_ port: Substring?) -> String

    /// Returns the whole URL of `HOST` or `HOST:PORT`; nil for any other text.
    func url(_ text: String) -> String? {
        let isHost = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        guard isHost, !text.isEmpty else { return nil }
        let colon = text.last == "]" ? nil : text.lastIndex(of: ":")
        return "\(scheme(colon.map { text[text.index(after: $0)...] }))://\(text)"
    }
}

/// A URL that stands in the configuration, or in a secret.
enum URLSetting: Hashable, Sendable {
    case plain(String)
    case secret(SecretName)

    /// Returns the URL to use.
    func text(_ secrets: any SecretSource) throws(SecretError) -> MaskedText {
        switch self {
        case .plain(let text): MaskedText(text)
        case .secret(let name): "\(try secrets.secret(name))"
        }
    }
}

/// A text that stands in the configuration, or in a secret.
enum TextSetting: Hashable, Sendable {
    case plain(String)
    case secret(SecretName)

    /// Returns the text to use; it is never shown, wherever it stands.
    func secret(_ secrets: any SecretSource) throws(SecretError) -> Secret {
        switch self {
        case .plain(let text): Secret(text)
        case .secret(let name): try secrets.secret(name)
        }
    }
}

extension ObjectReader {
    /// Reads a whole number.
    mutating func whole(_ key: String, in range: ClosedRange<Double>) -> Int? {
        record(key, .number) { ($0.bounds, $0.isWhole) = (range, true) }
        guard let number = number(key, in: range) else { return nil }
        guard number == number.rounded() else {
            problem(key, "expected a whole number, found \(JSONValue.number(number).shown)")
            return nil
        }
        return Int(number)
    }
}

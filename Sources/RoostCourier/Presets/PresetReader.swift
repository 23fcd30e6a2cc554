import HardwareIO
import Profiles
import StoreQueries

/// Reads presets from JSON and names every mistake of a file at once.
package struct PresetReader {
    /// Bytes of one file; a longer one is refused unread.
    package static let byteLimit = 64 << 10
    static let settingLimit = 16
    static let headerLimit = 16
    static let ruleLimit = 16
    static let needLimit = 16

    private let problems = ProblemList()

    private init() {}

    /// - Parameters:
    ///   - text: The file's bytes.
    ///   - file: Its path, for messages; the name must be the id and `.json`.
    /// - Returns: A preset whose templates use known names alone.
    /// - Throws: `ConfigurationError` with all problems.
    package static func read(
        _ text: [UInt8],
        file: String
    ) throws(ConfigurationError) -> Preset {
        guard text.count <= byteLimit else {
            throw ConfigurationError(file: file, message: "larger than 64 KiB")
        }
        let root: JSONValue
        do throws(JSONParser.Fault) { root = try JSONParser.parse(text) } catch {
            let reason = JSONParser.text(for: error, in: text)
            throw ConfigurationError(file: file, message: "not JSON: \(reason)")
        }
        let reader = PresetReader()
        let preset = reader.preset(root)
        if let preset, !file.hasSuffix("/\(preset.id).json"), file != "\(preset.id).json" {
            reader.problems.add("id", "is not the file's name")
        }
        guard let preset, reader.problems.problems.isEmpty else {
            throw ConfigurationError(file: file, problems: reader.problems.problems)
        }
        return preset
    }

    private func preset(_ root: JSONValue) -> Preset? {
        guard var object = ObjectReader(root, at: "", problems) else { return nil }
        _ = object.string("$schema")
        let version = object.number("schemaVersion", in: 1...1)
        if version == nil { object.problem("schemaVersion", "has to be 1") }
        let id = object.required("id")
        let name = object.required("name")
        let about = object.string("about")
        let settings = self.settings(&object)
        let names = Preset.names(settings)
        let method = object.string("method", in: ["POST", "PUT"])
        let url = template(&object, "url", names)
        let headers = self.headers(&object, names)
        let format = object.string("format", in: Preset.Format.allCases.map(\.rawValue))
        let body = template(&object, "body", names)
        if let body, format != Preset.Format.text.rawValue, !Self.isJSON(body, settings) {
            object.problem("body", "is no JSON with a sample notice in it")
        }
        let proof = condition(&object, "proof", names)
        let rules = self.rules(&object, names)
        let needs = self.needs(&object, names)
        let replaces = object.bool("replaces")
        let wait = object.seconds("waitSeconds", in: 0...3_600)
        let isGrouped = object.bool("grouped") ?? true
        let picture = picture(&object, names)
        let probe = probe(&object, names)
        object.finish()
        guard let id, let name, let url, let body, let proof else { return nil }
        var preset = Preset(
            id: id,
            name: name,
            about: about ?? "",
            settings: settings,
            method: method.flatMap(OutboundRequest.Method.init) ?? .post,
            url: url,
            headers: headers,
            body: body,
            format: format.flatMap(Preset.Format.init) ?? .json,
            proof: proof,
            rules: rules,
            needs: Set(needs),
            replaces: replaces ?? false
        )
        (preset.picture, preset.probe) = (picture, probe)
        (preset.wait, preset.isGrouped) = (wait, isGrouped)
        return preset
    }

    private func picture(_ object: inout ObjectReader, _ names: Set<String>) -> Preset.Picture? {
        guard var part = object.object("picture") else { return nil }
        let method = part.string("method", in: ["POST", "PUT"])
        let url = template(&part, "url", names)
        let headers = headers(&part, names)
        let file = part.string("file")
        let fields = self.headers(&part, names, key: "fields")
        if file == nil, !fields.isEmpty { part.problem("fields", "need \"file\": a form has one") }
        part.finish()
        guard let url else { return nil }
        return Preset.Picture(
            method: method.flatMap(OutboundRequest.Method.init) ?? .post,
            url: url,
            headers: headers,
            file: file,
            fields: fields
        )
    }

    private func probe(_ object: inout ObjectReader, _ names: Set<String>) -> Preset.Probe? {
        guard var part = object.object("probe") else { return nil }
        let url = template(&part, "url", names)
        let headers = headers(&part, names)
        part.finish()
        return url.map { Preset.Probe(url: $0, headers: headers) }
    }

    private static func isJSON(_ body: Template, _ settings: [Preset.Setting]) -> Bool {
        let own = settings.map { ($0.name, TemplateValue.text("a \"b\"")) }
        let values = NoticeValues.sampleValues.merging(own) { first, _ in first }
        return WireJSON.parse(Array(body.render(values, in: .utc).revealed.utf8)) != nil
    }

    private func settings(_ object: inout ObjectReader) -> [Preset.Setting] {
        object.array("settings", limit: Self.settingLimit).enumerated().compactMap { index, value in
            guard var part = ObjectReader(value, at: "settings[\(index)]", problems) else {
                return nil
            }
            let name = part.required("name")
            let isSecret = part.bool("secret")
            let about = part.required("about")
            let fallback = part.string("default")
            let isOptional = part.bool("optional")
            part.finish()
            guard let name, let about else { return nil }
            guard !NoticeValues.names.contains(name) else {
                part.problem("name", "is a name of every notice")
                return nil
            }
            return Preset.Setting(
                name: name,
                isSecret: isSecret ?? false,
                about: about,
                fallback: fallback,
                isOptional: isOptional ?? false
            )
        }
    }

    private func needs(_ object: inout ObjectReader, _ names: Set<String>) -> [String] {
        object.array("needs", limit: Self.needLimit).enumerated().compactMap { index, value in
            guard let name = value.string, names.contains(name) else {
                problems.add("needs[\(index)]", "is no name of a value")
                return nil
            }
            return name
        }
    }

    private func template(
        _ object: inout ObjectReader,
        _ key: String,
        _ names: Set<String>
    ) -> Template? {
        object.required(key).flatMap { template($0, at: object.path(key), names) }
    }

    private func template(_ text: String, at place: String, _ names: Set<String>) -> Template? {
        do throws(Template.Mistake) {
            return try Template(text, names: names)
        } catch {
            problems.add(place, error.description)
            return nil
        }
    }

    private func headers(
        _ object: inout ObjectReader,
        _ names: Set<String>,
        key: String = "headers"
    ) -> [Preset.Header] {
        let values = object.array(key, limit: Self.headerLimit)
        let path = object.path(key)
        return values.enumerated().compactMap { index, value in
            guard var part = ObjectReader(value, at: "\(path)[\(index)]", problems) else {
                return nil
            }
            let name = part.required("name")
            let text = template(&part, "value", names)
            part.finish()
            guard let name, let text else { return nil }
            return Preset.Header(name: name, value: text)
        }
    }

    private func rules(_ object: inout ObjectReader, _ names: Set<String>) -> [Preset.Rule] {
        object.array("answers", limit: Self.ruleLimit).enumerated().compactMap { index, value in
            guard var part = ObjectReader(value, at: "answers[\(index)]", problems) else {
                return nil
            }
            let when = condition(&part, "when", names)
            let meaning = part.string("then", in: Preset.Rule.Meaning.allCases.map(\.rawValue))
            let description = part.string("description")
            let path = part.string("waitPath")
            let seconds = part.number("waitSeconds", in: 0...86_400)
            part.finish()
            guard let when, let meaning = meaning.flatMap(Preset.Rule.Meaning.init) else {
                part.problem("then", "is missing")
                return nil
            }
            return Preset.Rule(
                when: when,
                meaning: meaning,
                description: description,
                waitPath: path,
                waitSeconds: seconds.map { Int($0) }
            )
        }
    }

    private func condition(
        _ object: inout ObjectReader,
        _ key: String,
        _ names: Set<String>
    ) -> Preset.Condition? {
        guard var part = object.object(key) else {
            object.problem(key, "is missing")
            return nil
        }
        var condition = Preset.Condition()
        for (index, value) in part.array("status", limit: 16).enumerated() {
            guard let status = value.integer, (100...599).contains(status) else {
                part.problem(
                    "status[\(index)]",
                    "expected a status 100…599, found \(value.shown)"
                )
                continue
            }
            condition.statuses.append(status)
        }
        condition.contains = part.string("contains")
        if case .object(let members)? = part.value("json") {
            for (path, value) in members.sorted(by: { $0.key < $1.key }) {
                condition.json[path] = expected(value, at: part.path("json.\(path)"), names)
            }
        }
        part.finish()
        return condition
    }

    private func expected(
        _ value: JSONValue,
        at place: String,
        _ names: Set<String>
    ) -> Preset.Expected? {
        guard case .string(let text) = value else { return .value(value) }
        if text == "*" { return .present }
        return template(text, at: place, names).map(Preset.Expected.text)
    }
}

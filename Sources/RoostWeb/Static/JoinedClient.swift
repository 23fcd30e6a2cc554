/// The client's modules as one file, and its style sheets as another.
///
/// So a first visit needs two requests instead of some forty, and both files together are a quarter
/// smaller by gzip. Where both are installed the modules are left out. Modules that the entry needs
/// run first, and their names are global; every other module is a function that runs when it is
/// first needed, so a page's module costs nothing until the page is opened.
struct JoinedClient: Sendable {
    static let scriptName = "js/roost.js"
    static let sheetName = "css/roost.css"
    private static let entry = "js/main.js"
    /// The order matters in the cascade; sheets that are not named here follow by name.
    private static let firstSheets = ["css/tokens.css", "css/base.css", "css/pages.css"]

    let script: String
    let sheet: String

    /// Joins files by their names in the client's folder.
    ///
    /// - Throws: `JoinedClientError` with file and line for what cannot be joined.
    init(_ files: [String: String]) throws(JoinedClientError) {
        script = try Self.script(files)
        sheet = Self.sheet(files)
    }

    // MARK: Modules

    private static func script(_ files: [String: String]) throws(JoinedClientError) -> String {
        var modules: [String: ClientModule] = [:]
        var waiting = [entry]
        while let name = waiting.popLast() {
            guard modules[name] == nil else { continue }
            guard let text = files[name] else { throw .noModule(name) }
            let module = try ClientModule(name, text)
            modules[name] = module
            waiting += module.imports + module.loads
        }
        var finished: Set<String> = []
        for name in modules.keys.sorted() {
            try demandNoCircle(name, modules, [], &finished)
        }
        let first = try firsts(modules)
        let later = modules.filter { !first.contains($0.key) }.sorted { $0.key < $1.key }
        let bodies = later.map { name, module in
            "\"\(name)\":()=>{\n\(module.body(knowing: first))return{\(module.list)};\n},\n"
        }
        let starts = first.dropLast().compactMap { modules[$0] }.map { module in
            """
            const{\(module.list)}=(()=>{
            \(module.body(knowing: first))return{\(module.list)};
            })();

            """
        }
        return """
            const $made={};
            const $take=(name)=>$made[name]??=$modules[name]();
            const $load=async(name)=>$take(name);
            const $modules={
            \(bodies.joined())};
            \(starts.joined())(()=>{
            \(modules[entry]?.body(knowing: first) ?? "")})();

            """
    }

    /// The modules that run at the start, each after those that it needs; the entry is the last.
    private static func firsts(
        _ modules: [String: ClientModule]
    ) throws(JoinedClientError) -> [String] {
        var order: [String] = []
        func visit(_ name: String) {
            guard !order.contains(name) else { return }
            for next in modules[name]?.imports ?? [] { visit(next) }
            order.append(name)
        }
        visit(entry)
        var owners: [String: String] = [:]
        for module in order.dropLast() {
            for name in modules[module]?.names ?? [] {
                guard let other = owners.updateValue(module, forKey: name) else { continue }
                throw .twice(name, [other, module])
            }
        }
        return order
    }

    private static func demandNoCircle(
        _ name: String,
        _ modules: [String: ClientModule],
        _ path: [String],
        _ finished: inout Set<String>
    ) throws(JoinedClientError) {
        guard !path.contains(name) else { throw .circle(path + [name]) }
        guard !finished.contains(name) else { return }
        for next in modules[name]?.imports ?? [] {
            try demandNoCircle(next, modules, path + [name], &finished)
        }
        finished.insert(name)
    }

    // MARK: Sheets

    private static func sheet(_ files: [String: String]) -> String {
        let others = files.keys.filter { $0.hasSuffix(".css") && !firstSheets.contains($0) }
        let texts = (firstSheets + others.sorted()).compactMap { files[$0] }
        let lines = texts.flatMap { $0.split(separator: "\n") }.map(ClientModule.trimmed)
        return lines.filter { !($0.hasPrefix("/*") && $0.hasSuffix("*/")) }
            .map { squeezed($0) + "\n" }.joined()
    }

    /// Removes needless spaces from a line; a line with a text in it stays unchanged.
    private static func squeezed(_ line: String) -> String {
        guard !line.contains("\""), !line.contains("'") else { return line }
        let pairs = [
            (": ", ":"), (", ", ","), (" {", "{"), ("{ ", "{"), ("; }", "}"), (" }", "}"),
            ("; ", ";"),
        ]
        return pairs.reduce(line) { $0.replacing($1.0, with: $1.1) }
    }
}

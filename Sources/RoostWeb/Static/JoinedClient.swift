/// The client's modules as two files, and its style sheets as another.
///
/// So a first visit needs few requests instead of some forty, and the files together are a quarter
/// smaller by gzip. Where they are installed the modules are left out. Modules that the entry needs
/// run first, and their names are global; every other module is a function that runs when it is
/// first needed. Modules that neither the start nor `pages` need are in the second file, which a
/// browser asks for when such a page is opened.
struct JoinedClient: Sendable {
    static let scriptName = "js/roost.js"
    static let laterName = "js/later.js"
    static let sheetName = "css/roost.css"
    private static let entry = "js/main.js"
    /// The pages of the navigation bar, without Events, which asks for a catalogue anyway.
    private static let pages = ["now", "history", "devices", "more"]
        .map { "js/pages/\($0).js" }
    /// The order matters in the cascade; sheets that are not named here follow by name.
    private static let firstSheets = ["css/tokens.css", "css/base.css", "css/pages.css"]

    let script: String
    /// The modules that a first visit does not need.
    let later: String
    let sheet: String

    /// Joins files by their names in the client's folder.
    ///
    /// - Throws: `JoinedClientError` with file and line for what cannot be joined.
    init(_ files: [String: String]) throws(JoinedClientError) {
        (script, later) = try Self.scripts(files)
        sheet = Self.sheet(files)
    }

    // MARK: Modules

    private static func scripts(
        _ files: [String: String]
    ) throws(JoinedClientError) -> (first: String, later: String) {
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
        try demandNames(modules)
        let first = try firsts(modules)
        let bar = needs(of: pages, modules)
        func bodies(_ isWanted: (String) -> Bool) -> String {
            modules.filter { !first.contains($0.key) && isWanted($0.key) }
                .sorted { $0.key < $1.key }
                .map { name, module in
                    let body = module.body(knowing: first)
                    return "\"\(name)\":()=>{\n\(body)return{\(module.list)};\n},\n"
                }
                .joined()
        }
        let starts = first.dropLast().compactMap { modules[$0] }.map { module in
            """
            const{\(module.list)}=(()=>{
            \(module.body(knowing: first))return{\(module.list)};
            })();

            """
        }
        let later = bodies { !bar.contains($0) }
        let globals = first.dropLast().flatMap { modules[$0]?.names ?? [] }
            .filter { later.contains($0) }.joined(separator: ",")
        // A browser may remember that a module could not be loaded: each try has an address.
        let script = """
            const $made={};
            const $take=(name)=>$made[name]??=$modules[name]();
            let $tries=0,$later;
            const $more=()=>$later??=import(`./later.js?${$tries++}`).then(({modules})=>\
            Object.assign($modules,modules({\(globals)},$take,$load)),\
            (problem)=>{$later=null;throw problem;});
            const $load=async(name)=>{if(!$modules[name])await $more();return $take(name);};
            const $modules={
            \(bodies(bar.contains))};
            \(starts.joined())(()=>{
            \(modules[entry]?.body(knowing: first) ?? "")})();

            """
        return (script, "export const modules=({\(globals)},$take,$load)=>({\n\(later)});\n")
    }

    /// A name that no module exports would be noticed only when a person comes to it.
    private static func demandNames(
        _ modules: [String: ClientModule]
    ) throws(JoinedClientError) {
        for (name, module) in modules.sorted(by: { $0.key < $1.key }) {
            for (target, names) in module.importing {
                for one in names.split(separator: ",").map(String.init)
                where modules[target]?.names.contains(one) != true {
                    throw .noName(one, of: target, in: name)
                }
            }
        }
    }

    /// Modules with all that they need before they run.
    private static func needs(
        of names: [String],
        _ modules: [String: ClientModule]
    ) -> Set<String> {
        var found: Set<String> = []
        var waiting = names
        while let name = waiting.popLast() {
            guard found.insert(name).inserted else { continue }
            waiting += modules[name]?.imports ?? []
        }
        return found
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

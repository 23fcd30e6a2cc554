import FoundationEssentials

/// Files of `Fixtures/`; their origin is in `ORIGIN.md` beside them.
enum Fixture {
    static func data(_ name: String, beside file: String = #filePath) throws -> Data {
        let folder = file.split(separator: "/").dropLast(2).joined(separator: "/")
        return try Data(contentsOf: URL(filePath: "/\(folder)/Fixtures/\(name)"))
    }

    static func text(_ name: String) throws -> String {
        String(decoding: try data(name), as: UTF8.self)
    }
}

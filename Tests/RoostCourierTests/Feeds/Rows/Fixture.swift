import FoundationEssentials

/// Files of `Fixtures/`; their origin is in `ORIGIN.md` beside them.
enum Fixture {
    static func bytes(_ name: String, beside file: String = #filePath) throws -> [UInt8] {
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        return Array(try Data(contentsOf: URL(filePath: "/\(folder)/Fixtures/\(name).json")))
    }
}

import Profiles

/// An update's board and version, and the sizes and sums of its contents.
package struct UpdateManifest: Hashable, Sendable {
    package struct Content: Hashable, Sendable {
        /// Bytes.
        package let size: Int
        /// 64 hexadecimal digits.
        package let sha256: String

        package init(size: Int, sha256: String) { (self.size, self.sha256) = (size, sha256) }
    }

    /// A card's partition of a root is far smaller; a larger number is a mistake.
    private static let sizeMax = 1 << 40

    /// `rpi-arm64`.
    package let board: String
    /// Partitions as this version of the image lays them out.
    package let layout: Int
    package let version: String
    /// Day and commit.
    package let build: String
    /// Steps of the store's schema that the version knows.
    package let storeSchema: Int
    /// The oldest version that can be followed by this one.
    let minimumFrom: String
    /// Size and sum of the content in the file, compressed by zstd.
    package let payload: Content
    /// Size and sum of the content on the partition.
    package let root: Content

    /// - Throws: `UpdateError.notAnUpdate` with the field at fault.
    package init(_ bytes: [UInt8]) throws(UpdateError) {
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch {
            throw .notAnUpdate("its manifest: \(JSONParser.text(for: error, in: bytes))")
        }
        guard case .object(let fields) = value else {
            throw .notAnUpdate("its manifest is \(value.shown)")
        }
        board = try Self.text("board", fields)
        layout = try Self.number("layout", fields)
        version = try Self.text("version", fields)
        build = try Self.text("build", fields)
        storeSchema = try Self.number("storeSchema", fields)
        minimumFrom = try Self.text("minimumFrom", fields)
        payload = try Self.content("payload", fields)
        root = try Self.content("root", fields)
        guard root.size % 4_096 == 0 else {
            throw .notAnUpdate("root.size of its manifest is no multiple of 4096")
        }
    }

    private static func text(
        _ name: String,
        _ fields: [String: JSONValue]
    ) throws(UpdateError) -> String {
        guard case .string(let text)? = fields[name], (1...200).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw .notAnUpdate("\(name) of its manifest is missing or no text of 200 bytes") }
        return text
    }

    private static func number(
        _ name: String,
        _ fields: [String: JSONValue]
    ) throws(UpdateError) -> Int {
        guard case .number(let number)? = fields[name], number == number.rounded(),
            (0...Double(sizeMax)).contains(number)
        else { throw .notAnUpdate("\(name) of its manifest is missing or no number") }
        return Int(number)
    }

    private static func content(
        _ name: String,
        _ fields: [String: JSONValue]
    ) throws(UpdateError) -> Content {
        guard case .object(let parts)? = fields[name] else {
            throw .notAnUpdate("\(name) of its manifest is missing")
        }
        let digits = Set("0123456789abcdef")
        guard let size = try? number("size", parts), let sha256 = try? text("sha256", parts) else {
            throw .notAnUpdate("\(name) of its manifest has no size and no SHA-256")
        }
        let content = Content(size: size, sha256: sha256)
        guard content.size > 0, content.sha256.count == 64,
            content.sha256.allSatisfy(digits.contains)
        else { throw .notAnUpdate("\(name) of its manifest has no size and no SHA-256") }
        return content
    }
}

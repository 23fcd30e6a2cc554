import ControlProtocol
import FoundationEssentials

/// Reads and writes small JSON values.
enum JSONBody {
    /// A body without fields.
    struct Empty: Decodable {}

    /// Any value, which is not read.
    struct Anything: Decodable { init(from decoder: any Decoder) {} }

    static func encoded<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// - Throws: `Problem` `bad-request` that names the place.
    static func decoded<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8]
    ) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw problem(error)
        } catch {
            throw Problem.badRequest("the body is not JSON")
        }
    }

    private static func problem(_ error: DecodingError) -> Problem {
        let (path, detail): ([any CodingKey], String) =
            switch error {
            case .keyNotFound(let key, let context):
                (context.codingPath + [key], "it is missing")
            case .typeMismatch(let type, let context):
                (context.codingPath, "it is no \(type)")
            case .valueNotFound(let type, let context):
                (context.codingPath, "it is null, and must be a \(type)")
            case .dataCorrupted(let context):
                (context.codingPath, context.codingPath.isEmpty ? "it is not JSON" : "it is wrong")
            @unknown default: ([], "it is wrong")
            }
        let pointer = "/" + path.map(\.stringValue).joined(separator: "/")
        return Problem(
            .badRequest,
            path.isEmpty ? "the body: \(detail)" : "\(pointer): \(detail)",
            places: [Problem.Place(pointer: pointer, detail: detail)]
        )
    }
}

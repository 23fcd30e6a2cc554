import FoundationEssentials

/// Messages to lines of JSON and back.
package enum ControlCodec {
    /// One line without its newline, keys sorted so that the same message is the same text.
    package static func line(_ message: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }

    /// Reads a message from a line.
    ///
    /// - Throws: `ControlFailure` with code `bad-request` that names the place.
    package static func message<Message: Decodable>(
        _ type: Message.Type = Message.self,
        from line: String
    ) throws(ControlFailure) -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(line.utf8))
        } catch let error as DecodingError {
            throw ControlFailure(code: "bad-request", message: Self.text(for: error))
        } catch {
            throw ControlFailure(code: "bad-request", message: "not a JSON message")
        }
    }

    private static func text(for error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? "the message" : path
        }
        return switch error {
        case .keyNotFound(let key, let context): "\(place(context)) lacks \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(place(context)) has the wrong type"
        case .dataCorrupted(let context) where place(context) == "command":
            "command is one of "
                + ControlRequest.Command.allCases.map(\.rawValue).joined(separator: ", ")
        case .dataCorrupted(let context): "\(place(context)): \(context.debugDescription)"
        @unknown default: "not a message of version \(controlProtocolVersion)"
        }
    }
}

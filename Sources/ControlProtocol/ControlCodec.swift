import FoundationEssentials

/// Messages to lines of JSON and back.
package enum ControlCodec {
    /// One line without its newline, keys sorted so that the same message is the same text.
    package static func line(_ message: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }

    /// Returns the line of an answer that refuses.
    package static func line(refusing failure: ControlFailure) throws -> String {
        try line(ControlAnswer<String>(.failure(failure)))
    }

    /// Reads the body of an answer.
    ///
    /// - Throws: The `ControlFailure` that refuses; `bad-answer` for one that cannot be read.
    package static func body<Body: Codable & Sendable>(
        _ type: Body.Type = Body.self,
        from line: String
    ) throws(ControlFailure) -> Body {
        let answer: ControlAnswer<Body>
        do { answer = try message(from: line) } catch {
            throw ControlFailure(code: .badAnswer, message: "the answer: \(error.message)")
        }
        if let failure = answer.error { throw failure }
        guard let body = answer.body else {
            throw ControlFailure(code: .badAnswer, message: "the answer was empty")
        }
        return body
    }

    /// Reads a message from a line.
    ///
    /// - Throws: `ControlFailure` with code `bad-request` that names the place.
    package static func message<Message: Decodable>(
        _ type: Message.Type = Message.self,
        from line: String
    ) throws(ControlFailure) -> Message {
        try message(from: line) { try $0.decode(type, from: $1) }
    }

    static func message<Message>(
        from line: String,
        _ decode: (JSONDecoder, Data) throws -> Message
    ) throws(ControlFailure) -> Message {
        do {
            return try decode(JSONDecoder(), Data(line.utf8))
        } catch let error as DecodingError {
            throw ControlFailure(code: .badRequest, message: Self.text(for: error))
        } catch let failure as ControlFailure {
            throw failure
        } catch {
            throw ControlFailure(code: .badRequest, message: "not a JSON message")
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
        case .dataCorrupted(let context): "\(place(context)): \(context.debugDescription)"
        @unknown default: "not a message of version \(controlProtocolVersion)"
        }
    }
}

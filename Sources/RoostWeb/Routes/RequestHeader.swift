import HTTPTypes

/// A header field that a route reads, beside those of every request.
struct RequestHeader: Sendable {
    let name: String
    let schema: JSONSchema
    /// Refuses requests without it; nil for a field that may be absent.
    let refusal: Problem?

    init(_ name: String, _ schema: JSONSchema = .text, orRefuse refusal: Problem? = nil) {
        (self.name, self.schema, self.refusal) = (name, schema, refusal)
    }

    /// The value in a request; nil where it may be absent and is.
    ///
    /// - Throws: `refusal`.
    func value(in request: WebRequest) throws -> String? {
        if let value = HTTPField.Name(name).flatMap({ request.headers[$0] }) { return value }
        if let refusal { throw refusal }
        return nil
    }
}

import ControlProtocol

/// Refusals of requests to a courier.
enum CourierRefusal {
    /// - Parameters:
    ///   - pointer: The place of what is wrong.
    /// - Returns: A refusal with the code `bad-request`.
    static func wrong(_ words: String, at pointer: String) -> ControlFailure {
        ControlFailure(code: .badRequest, message: words, pointer: pointer)
    }
}

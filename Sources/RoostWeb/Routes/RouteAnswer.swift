/// The answer of a route that did what was asked.
enum RouteAnswer: Sendable {
    case json(any (Decodable & Sendable).Type)
    /// A body of one of these media types that no type of the program describes.
    case media([String])
    /// Status 204, without a body.
    case nothing
}

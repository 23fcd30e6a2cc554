import Core
import HTTPTypes

/// All routes; finds the one of a request.
package struct RouteTable: Sendable {
    package enum Match: Sendable {
        case route(Route, parameters: [String: String])
        /// The path exists with these methods only.
        case otherMethods([HTTPRequest.Method])
        case nothing
    }

    package let routes: [Route]
    private let segments: [[Substring]]

    package init(_ routes: [Route]) {
        self.routes = routes
        segments = routes.map { $0.path.split(separator: "/") }
    }

    /// Finds the route of a request.
    ///
    /// - Parameters:
    ///   - path: Without query, percent encoding still in it.
    /// - Returns: The first route of the table that fits; parameters are percent-decoded.
    package func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let wanted = method == .head ? .get : method
        var methods: [HTTPRequest.Method] = []
        for (index, route) in routes.enumerated() {
            guard let found = Self.parameters(Array(parts), segments[index]) else { continue }
            if route.method == wanted { return .route(route, parameters: found) }
            methods.append(route.method)
            if route.method == .get { methods.append(.head) }
        }
        return methods.isEmpty ? .nothing : .otherMethods(methods)
    }

    private static func parameters(
        _ parts: [Substring],
        _ pattern: [Substring]
    ) -> [String: String]? {
        var found: [String: String] = [:]
        let parts = parts.last == "" ? Array(parts.dropLast()) : parts
        for (index, segment) in pattern.enumerated() {
            if segment.hasSuffix("*}") {
                let rest = parts.dropFirst(index).map { PercentCoding.decoded($0) }
                guard !rest.contains(nil), !rest.isEmpty else { return nil }
                found[String(segment.dropFirst().dropLast(2))] = rest.compactMap(\.self)
                    .joined(separator: "/")
                return found
            }
            guard index < parts.count else { return nil }
            if segment.hasPrefix("{") {
                guard let value = PercentCoding.decoded(parts[index]), !value.isEmpty else {
                    return nil
                }
                found[String(segment.dropFirst().dropLast())] = value
            } else if segment != parts[index] {
                return nil
            }
        }
        return parts.count == pattern.count ? found : nil
    }
}

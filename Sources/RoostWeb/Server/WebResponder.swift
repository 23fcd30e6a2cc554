import ControlProtocol
import HTTPTypes
import Logging

/// Carries requests through the gate to their handlers, and answers back with the headers that all
/// answers have.
package struct WebResponder: Sendable {
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
        "connect-src 'self'", "manifest-src 'self'", "worker-src 'self'", "form-action 'self'",
        "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types roost",
    ].joined(separator: "; ")

    private let gate: Gate
    private let redirect: HTTPSRedirect?
    private let portal: CaptivePortal
    private let logger: Logger

    package init(_ gate: Gate, redirect: HTTPSRedirect? = nil, logger: Logger) {
        self.gate = gate
        self.redirect = redirect
        portal = CaptivePortal(gate.hosts)
        self.logger = logger
    }

    /// Answers one request; tests and connections use it alike.
    ///
    /// - Parameters:
    ///   - body: Reads the body, at most so many bytes; throws `Problem` `too-large`.
    /// - Returns: The handler's answer, or what refused the request, with the fixed headers.
    package func answer(
        _ head: Gate.Head,
        body: (_ limit: Int) async throws -> [UInt8]
    ) async -> WebResponse {
        do {
            var answer = portal.answer(head)
            if answer == nil { answer = await redirect?.answer(head) }
            if let answer {
                try gate.count(head)
                return secured(answer)
            }
            let pass = try await gate.admit(head)
            var bytes: [UInt8] = []
            if let limit = pass.route.body.byteLimit { bytes = try await body(limit) }
            return secured(try await pass.route.handler(pass.request.with(body: bytes)))
        } catch let problem as Problem {
            return secured(WebResponse(problem))
        } catch let failure as ControlFailure {
            return secured(WebResponse(Problem(failure)))
        } catch is CancellationError {
            return secured(WebResponse(Problem(.busy, "the dashboard is ending")))
        } catch {
            // Only the log has the details.
            logger.error("\(head.method.rawValue) \(head.target): \(error)")
            return secured(WebResponse(Problem(.internal, "see journalctl -u roost-web")))
        }
    }

    private func secured(_ response: WebResponse) -> WebResponse {
        var response = response
        if case .stream = response.body, let field = HTTPField.Name("x-accel-buffering") {
            // nginx passes on each piece as it comes, not when a buffer is full.
            response.headers[field] = "no"
        }
        let fixed: [(String, String)] = [
            ("content-security-policy", Self.policy), ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"), ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("permissions-policy", "geolocation=(self), camera=(), microphone=(), usb=()"),
        ]
        for (name, value) in fixed {
            // One page has a policy of its own.
            guard let field = HTTPField.Name(name), response.headers[field] == nil else { continue }
            response.headers[field] = value
        }
        return response
    }
}

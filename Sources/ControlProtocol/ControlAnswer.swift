/// The version of the control protocol; a server refuses other ones and says which it speaks.
package let controlProtocolVersion = 3

/// One answer: a line of JSON with exactly one of the two fields.
package struct ControlAnswer<Body: Codable & Sendable>: Codable, Sendable {
    package let version: Int
    package let body: Body?
    package let error: ControlFailure?

    package init(_ result: Result<Body, ControlFailure>) {
        version = controlProtocolVersion
        switch result {
        case .success(let body): (self.body, error) = (body, nil)
        case .failure(let failure): (body, error) = (nil, failure)
        }
    }
}

/// Why a request was refused, as a text that names what to do.
package struct ControlFailure: Error, Codable, Hashable, Sendable {
    package let code: RefusalCode
    package let message: String
    /// The place of a wrong value in what was sent, as `/address`; nil for the whole.
    package var pointer: String?
    /// What exactly is wrong; nil where the code says it.
    package var reason: RefusalReason?

    package init(
        code: RefusalCode,
        message: String,
        pointer: String? = nil,
        _ reason: RefusalReason? = nil
    ) {
        self.code = code
        self.message = message
        self.pointer = pointer
        self.reason = reason
    }
}

extension ControlFailure {
    /// Seconds of a mute, an acknowledgement or a silence, at most: 366 days.
    package static let longestSeconds = 366 * 86_400.0

    /// A field of a question is wrong.
    package static func badRequest(
        _ message: String,
        at pointer: String? = nil,
        _ reason: RefusalReason? = nil
    ) -> ControlFailure {
        ControlFailure(code: .badRequest, message: message, pointer: pointer, reason)
    }

    /// Refuses seconds out of a range; nil is in each.
    static func demand(_ seconds: Double?, in range: ClosedRange<Double>) throws(ControlFailure) {
        guard let seconds, !range.contains(seconds) else { return }
        let (least, most) = (Int(range.lowerBound), Int(range.upperBound))
        throw badRequest("seconds is \(least) to \(most)", at: "/seconds")
    }
}

extension StringProtocol {
    /// Whether the text has no control character.
    package var isOneLine: Bool {
        !unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}

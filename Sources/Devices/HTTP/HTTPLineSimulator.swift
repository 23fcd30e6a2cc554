import Core
import HardwareIO
import Profiles

/// An HTTP device that answers `GET` with a line as its profile describes it.
///
/// Every value drifts in its range; the same seed gives the same HTTP device.
package struct HTTPLineSimulator: Sendable {
    /// Faults that an HTTP device can be made to show.
    package enum Fault: String, Sendable, CaseIterable {
        /// Accepts the request and never answers.
        case silence
        /// Answers 500.
        case error
        /// Leaves out the last field.
        case short
        /// Says `nan` in the first field.
        case nan
        /// Writes decimal commas.
        case commas
    }

    private var lines: LineDeviceSimulator
    /// Fault that every answer shows from now on; nil for none.
    package var fault: Fault?
    package private(set) var questionCount = 0

    /// Creates an HTTP device from its profile.
    ///
    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(_ profile: Profile, seed: UInt64 = 1) throws(DialectError) {
        lines = try LineDeviceSimulator(profile, seed: seed)
    }

    /// The answer to one request.
    ///
    /// - Parameter method: `GET`, or `POST`, which is only acknowledged; others get 405.
    /// - Returns: nil when the HTTP device says nothing.
    package mutating func answer(_ method: String) -> HTTPResponse? {
        questionCount += 1
        switch (method, fault) {
        case (_, .silence?): return nil
        case (_, .error?): return HTTPResponse(status: 500, body: Array("broken".utf8))
        case ("POST", _): return HTTPResponse(status: 200, body: Array("POST received".utf8))
        case ("GET", let fault): return HTTPResponse(status: 200, body: spoilt(lines.line(), fault))
        default: return HTTPResponse(status: 405, body: [])
        }
    }

    private func spoilt(_ line: [UInt8], _ fault: Fault?) -> [UInt8] {
        let separator = lines.delimiter
        switch fault {
        case .short: return Array(line[..<(line.lastIndex(of: separator) ?? 0)])
        case .nan: return Array("nan".utf8) + line[(line.firstIndex(of: separator) ?? 0)...]
        case .commas: return line.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: ",") : $0 }
        case .silence, .error, nil: return line
        }
    }
}

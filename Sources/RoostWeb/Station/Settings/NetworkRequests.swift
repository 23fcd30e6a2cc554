import ControlProtocol
import Core
import FileIO
import Glibc
import Provisioning
import Synchronization

/// The owner's requests to a root service that looks for Wi-Fi networks and joins one.
///
/// The dashboard writes the request into its own folder and reads what the service says.
package struct NetworkRequests: Sendable {
    /// Name of the station in its network.
    private let host: String
    /// Root folder of the system; empty for this machine.
    private let root: String

    private let clock: WebClock

    package init(host: String, root: String = "", clock: WebClock = .system) {
        (self.host, self.root, self.clock) = (host, root, clock)
    }

    private var wanted: String { "\(root)/run/roost-web/\(NetworkRequest.fileName)" }

    /// Whether this station runs from an image, where no other tool has the network.
    private var isImage: Bool { access("\(root)/usr/lib/roost/image.json", F_OK) == 0 }

    /// - Throws: `Problem` `store` for a file that is there and cannot be read.
    var view: NetworkView {
        get throws(Problem) {
            let asked = try record(NetworkRequest.self, NetworkSurvey.busyPath)
            let isWaiting = access(wanted, F_OK) == 0
            let survey = try record(NetworkSurvey.self, NetworkSurvey.path)
            return NetworkView(
                isImage: isImage,
                host: host,
                isBusy: isWaiting || asked != nil,
                joining: asked?.network,
                isAccessPoint: try isAccessPoint(),
                limitSeconds: NetworkTrial.secondsMax,
                survey: survey,
                surveyAgeSeconds: survey?.seenAt.map { max(0, Int(clock.uptime()) - $0) },
                last: try record(NetworkOutcome.self, NetworkOutcome.path)
            )
        }
    }

    private func isAccessPoint() throws(Problem) -> Bool {
        do throws(FileError) { return try DirectNetwork.accessPoint(root: root) != nil } catch {
            throw Self.unreadable(error)
        }
    }

    private func record<Value: Decodable & Sendable>(
        _ type: Value.Type,
        _ name: String
    ) throws(Problem) -> Value? {
        do throws(FileError) {
            let path = "\(root)/\(name)"
            let limit = NetworkSurvey.byteCountMax
            return try Files.readIfThere(path, limit: limit, allowing: .links).flatMap {
                try? ControlCodec.message(type, from: String(decoding: $0, as: UTF8.self))
            }
        } catch { throw Self.unreadable(error) }
    }

    private static func unreadable(_ error: FileError) -> Problem {
        Problem(.store, "\(error.path) cannot be read: \(error.text)")
    }

    /// Asks the service, which checks it again.
    ///
    /// - Throws: `Problem`: `conflict` while it works, `out-of-range` with the field.
    func ask(_ request: NetworkRequest) throws(Problem) {
        guard isImage else {
            throw Problem(.notOffered, "this station's system sets its network, not its page")
        }
        do throws(NetworkRequest.Refusal) {
            switch request.act {
            case .scan: break
            case .join:
                _ = try request.wireless()
                _ = try request.checkedCountry()
            case .point: _ = try request.checkedRule()
            }
        } catch { throw .outOfRange(error.field, error.words) }
        // Two owners may ask at once: one of them is refused.
        try Self.asking.withLock { _ throws(Problem) in
            guard try !view.isBusy else {
                throw Problem(.conflict, "a network is being looked for")
            }
            do {
                let line = try ControlCodec.line(request)
                try Files.replace(wanted, with: Array(line.utf8), mode: 0o600)
            } catch { throw Problem(.store, "the network cannot be asked for: \(error)") }
        }
    }

    private static let asking = Mutex(())
}

/// The answer of `GET /api/v1/network`.
struct NetworkView: Codable, Hashable {
    let isImage: Bool
    /// The name in the network, without `.local`.
    let host: String
    let isBusy: Bool
    /// The network that is being tried, as hexadecimal digits.
    let joining: String?
    /// Whether the station is its own access point now.
    let isAccessPoint: Bool
    /// Seconds of a try at most.
    let limitSeconds: Int
    let survey: NetworkSurvey?
    /// Whole seconds since the networks were seen; nil without any.
    let surveyAgeSeconds: Int?
    let last: NetworkOutcome?
}

import ControlProtocol
import Core
import FileIO
import Glibc
import Provisioning

/// The owner's requests to a root service that looks for Wi-Fi networks and joins one.
///
/// The dashboard writes the request into its own folder and reads what the service says.
package struct NetworkRequests: Sendable {
    /// Name of the station in its network.
    private let host: String
    /// Root folder of the system; empty for this machine.
    private let root: String

    package init(host: String, root: String = "") { (self.host, self.root) = (host, root) }

    private var wanted: String { "\(root)/run/roost-web/\(NetworkRequest.fileName)" }

    /// Whether this station runs from an image, where no other tool has the network.
    private var isImage: Bool { access("\(root)/usr/lib/roost/image.json", F_OK) == 0 }

    /// - Throws: `Problem` `store` for a file that is there and cannot be read.
    var view: NetworkView {
        get throws(Problem) {
            let asked = try record(NetworkRequest.self, NetworkSurvey.busyPath)
            let isWaiting = access(wanted, F_OK) == 0
            return NetworkView(
                isImage: isImage,
                host: host,
                isBusy: isWaiting || asked != nil,
                joining: asked?.network,
                isAccessPoint: try isAccessPoint(),
                limitSeconds: NetworkTrial.secondsMax,
                survey: try record(NetworkSurvey.self, NetworkSurvey.path),
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
        if request.act == .join {
            do throws(NetworkRequest.Refusal) {
                _ = try request.wireless()
                _ = try request.checkedCountry()
            } catch { throw .outOfRange(error.field, error.words) }
        }
        guard try !view.isBusy else { throw Problem(.conflict, "a network is being looked for") }
        do {
            let line = try ControlCodec.line(request)
            try Files.replace(wanted, with: Array(line.utf8), mode: 0o600)
        } catch { throw Problem(.store, "the network cannot be asked for: \(error)") }
    }
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
    let last: NetworkOutcome?
}

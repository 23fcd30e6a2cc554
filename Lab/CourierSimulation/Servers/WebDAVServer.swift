import Core
import RoostCourier
import Synchronization

/// Simulated folder of a WebDAV server: honours conditions; parent folders must exist.
///
/// - Source: RFC 4918, sections 9.1, 9.3 and 9.7.
final class WebDAVServer: SimulatedServer {
    private let login: String
    private let root: String
    private let folders: Mutex<Set<String>>
    let stored: ServerFiles

    /// - Parameters:
    ///   - login: Expected content of `Authorization`.
    ///   - root: The path that is there, as `/dav`.
    init(login: String, root: String, _ stored: ServerFiles = ServerFiles()) {
        (self.login, self.root, self.stored) = (login, root, stored)
        folders = Mutex([root])
    }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        guard request.field("authorization") == login else { return OutboundAnswer(401) }
        guard let path = PercentCoding.decoded(request.path), path.hasPrefix(root + "/") else {
            return OutboundAnswer(404)
        }
        let name = String(path.dropFirst(root.count + 1))
        switch request.method {
        case .put: return put(path, name, request)
        case .makeCollection: return make(path)
        case .findProperties: return properties(path, name)
        case .get: return get(name, request)
        default: return OutboundAnswer(405)
        }
    }

    private func put(
        _ path: String,
        _ name: String,
        _ request: OutboundRequest
    ) -> OutboundAnswer {
        guard folders.withLock({ $0.contains(Self.parent(path)) }) else {
            return OutboundAnswer(409)
        }
        if stored.isRefused(name) { return OutboundAnswer(503) }
        guard request.field("if-none-match") == "*" else { return OutboundAnswer(428) }
        return OutboundAnswer(stored.write(name, request.body) ? 201 : 412)
    }

    private func make(_ path: String) -> OutboundAnswer {
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        return folders.withLock { folders in
            if folders.contains(folder) { return OutboundAnswer(405) }
            guard folders.contains(Self.parent(folder)) else { return OutboundAnswer(409) }
            folders.insert(folder)
            return OutboundAnswer(201)
        }
    }

    private func properties(_ path: String, _ name: String) -> OutboundAnswer {
        guard let bytes = stored.files[name] else { return OutboundAnswer(404) }
        let text =
            "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>\(path)"
            + "</D:href><D:propstat><D:prop><lp1:getcontentlength xmlns:lp1=\"DAV:\">\(bytes.count)"
            + "</lp1:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
            + "</D:response></D:multistatus>"
        return OutboundAnswer(207, ["content-type": "application/xml"], text: text)
    }

    private func get(_ name: String, _ request: OutboundRequest) -> OutboundAnswer {
        guard let bytes = stored.files[name] else { return OutboundAnswer(404) }
        let ends = (request.field("range") ?? "").dropFirst("bytes=".count).split(separator: "-")
            .compactMap { Int($0) }
        guard ends.count == 2, ends[0] < bytes.count else {
            return OutboundAnswer(200, body: bytes)
        }
        return OutboundAnswer(206, body: Array(bytes[ends[0]...min(ends[1], bytes.count - 1)]))
    }

    private static func parent(_ path: String) -> String {
        path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    }
}

import Core
import RoostCourier

/// Simulated S3 bucket, addressed by path: refuses to overwrite where the request forbids it.
///
/// - Source: AWS, *Amazon S3 API Reference*, PutObject, HeadObject.
final class ObjectStoreServer: SimulatedServer {
    private let bucket: String
    private let accessKey: String
    let stored: ServerFiles

    init(bucket: String, accessKey: String, _ stored: ServerFiles = ServerFiles()) {
        (self.bucket, self.accessKey, self.stored) = (bucket, accessKey, stored)
    }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        let parts = request.path.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, first == bucket else {
            return Self.error(404, "NoSuchBucket")
        }
        guard request.signature?.accessKey == accessKey else {
            return Self.error(403, "InvalidAccessKeyId")
        }
        guard parts.count == 2, let name = PercentCoding.decoded(parts[1]) else {
            return Self.error(400, "InvalidURI")
        }
        switch request.method {
        case .head:
            guard let bytes = stored.files[name] else { return OutboundAnswer(404) }
            return OutboundAnswer(200, Self.tag(bytes))
        case .put: return put(name, request)
        default: return Self.error(405, "MethodNotAllowed")
        }
    }

    private func put(_ name: String, _ request: OutboundRequest) -> OutboundAnswer {
        let bytes = request.body
        guard request.field("content-md5") == Base64.text(CourierCrypto.md5(bytes)) else {
            return Self.error(400, "BadDigest")
        }
        let hash = Hexadecimal.text(CourierCrypto.sha256(bytes))
        guard request.field("x-amz-content-sha256") == hash else {
            return Self.error(400, "XAmzContentSHA256Mismatch")
        }
        if stored.isRefused(name) { return Self.error(503, "SlowDown") }
        guard request.field("if-none-match") == "*" else {
            return Self.error(501, "NotImplemented")
        }
        return stored.write(name, bytes)
            ? OutboundAnswer(200, Self.tag(bytes)) : Self.error(412, "PreconditionFailed")
    }

    private static func tag(_ bytes: [UInt8]) -> [String: String] {
        ["etag": "\"\(Hexadecimal.text(CourierCrypto.md5(bytes)))\""]
    }

    private static func error(_ status: Int, _ code: String) -> OutboundAnswer {
        let text =
            "<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code><Message>no</Message></Error>"
        return OutboundAnswer(status, ["content-type": "application/xml"], text: text)
    }
}

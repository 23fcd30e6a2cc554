import COpenSSL
import Core

@testable import ProvisioningIO

/// Update files as scripts/image makes them, signed with a key of the tests.
enum SignedUpdate {
    static let secret = [UInt8](repeating: 7, count: 32)
    static let otherSecret = [UInt8](repeating: 8, count: 32)

    static func key(_ secret: [UInt8] = secret) -> UpdateKey {
        UpdateKey(point: sign([], secret).point)
    }

    static func sign(
        _ bytes: [UInt8],
        _ secret: [UInt8]
    ) -> (point: [UInt8], signature: [UInt8]) {
        var point = [UInt8](repeating: 0, count: 32)
        var signature = [UInt8](repeating: 0, count: 64)
        let isDone = copenssl_sign_ed25519(secret, bytes, bytes.count, &point, &signature)
        precondition(isDone, "ed25519 signs")
        return (point, signature)
    }

    static func manifest(
        root: [UInt8],
        payload: [UInt8],
        _ changes: [String: String] = [:]
    ) -> [UInt8] {
        func content(_ bytes: [UInt8]) -> String {
            #"{"size":\#(bytes.count),"sha256":"\#(UpdateDigest.of(bytes))"}"#
        }
        var fields = [
            "board": #""rpi-arm64""#, "layout": "1", "version": #""0.2.0+git5""#,
            "build": #""2026-11-25 abc""#, "storeSchema": "4", "minimumFrom": #""0.0.0""#,
            "payload": content(payload), "root": content(root),
        ]
        fields.merge(changes) { $1 }
        let members = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    static func head(_ manifest: [UInt8], _ secrets: [[UInt8]] = [secret]) -> [UInt8] {
        let lines = secrets.map { secret in
            "ed25519 \(key(secret).id) \(Base64.text(sign(manifest, secret).signature))\n"
        }
        return Array("ROOST-UPDATE-1\n\(lines.joined())".utf8) + manifest + [0x0A]
    }
}

import COpenSSL
import Updates

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
            "ed25519 \(key(secret).id) \(base64(sign(manifest, secret).signature))\n"
        }
        return Array("ROOST-UPDATE-1\n\(lines.joined())".utf8) + manifest + [0x0A]
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = Array(bytes[start..<min(start + 3, bytes.count)])
            let padded = group + [UInt8](repeating: 0, count: 3 - group.count)
            let bits = padded.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            for index in 0...3 {
                let six = Int(bits >> (18 - 6 * UInt32(index)) & 63)
                text.append(index <= group.count ? alphabet[six] : "=")
            }
        }
        return text
    }
}

import HardwareIO

/// Why an update was not written, or not made good.
package enum UpdateError: Error, Hashable, Sendable {
    /// The file is no update, or its head is damaged.
    case notAnUpdate(String)
    /// The update is signed by no key that this station trusts.
    case untrusted(keys: [String], trusted: [String])
    /// A trusted key is named, and the signature is not its.
    case wrongSignature(key: String)
    /// The update is signed, and not for this station.
    case refused(String)
    /// The update ended early, or differs from its manifest.
    case damaged(String)
    /// The card, or another part of the station, failed.
    case failed(String)
}

extension UpdateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnUpdate(let why): "no update file: \(why)"
        case .untrusted(let keys, []):
            "this station trusts no key: put the public key of \(keys.inWords) into "
                + "/etc/roost/update-keys.d as NAME.pem"
        case .untrusted(let keys, let trusted):
            "signed by key \(keys.inWords), and this station trusts \(trusted.inWords): take the "
                + "file that was made for it, or add the public key in /etc/roost/update-keys.d"
        case .wrongSignature(let key):
            "the signature is not that of key \(key): the file was changed or damaged; fetch it "
                + "again"
        case .refused(let why), .damaged(let why), .failed(let why): why
        }
    }

    /// A word for programs.
    package var code: String {
        switch self {
        case .notAnUpdate: "not-an-update"
        case .untrusted: "untrusted"
        case .wrongSignature: "wrong-signature"
        case .refused: "refused"
        case .damaged: "damaged"
        case .failed: "failed"
        }
    }
}

extension [String] {
    /// `a`, `a and b`, `a, b and c`.
    fileprivate var inWords: String {
        let shown = map { PlainText.shown($0) }
        guard let last = shown.last, count > 1 else { return shown.first ?? "no key" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}

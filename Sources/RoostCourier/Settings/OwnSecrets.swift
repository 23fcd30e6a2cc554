import Core
import Synchronization

/// Secrets of entries that the owner added while the courier ran, before all others.
final class OwnSecrets: SecretSource {
    private let others: any SecretSource
    private let own = Mutex<[String: Secret]>([:])

    init(before others: any SecretSource) { self.others = others }

    /// Replaces them all.
    func set(_ secrets: [String: Secret]) { own.withLock { $0 = secrets } }

    func secret(_ name: SecretName) throws(SecretError) -> Secret {
        if let secret = own.withLock({ $0[name.text] }) { return secret }
        guard !name.text.hasPrefix(CourierOverlay.secretPrefix) else {
            throw SecretError(name, "the secret \(name) is missing: give it again on the page")
        }
        return try others.secret(name)
    }
}

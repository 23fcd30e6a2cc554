import Core
import Profiles

/// Parser of the webhook targets in `courier.json`.
enum WebhookKind {
    /// Reads one target; nil without a valid `url`.
    ///
    /// - Returns: A closure that makes the target, and throws for a secret that cannot be read.
    static func read(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let url = reader.secretURL("url")
        let key = reader.secret("signature", isRequired: false)
        let authorisation = reader.secret("authorization", isRequired: false)
        let expect = reader.object.string("expect")
        let isOnce = reader.flag("atMostOnce", usual: false)
        guard let url else { return nil }
        return { materials in
            let signer = try key.map { name in
                WebhookSigner(try materials.secrets.secret(name), clock: materials.clock)
            }
            var target = WebhookTarget(
                url: try url.text(materials.secrets),
                station: materials.station,
                signer: signer,
                expect: expect,
                isAtMostOnce: isOnce,
                clock: materials.clock
            )
            target.trust = common.trust
            if let authorisation {
                let value = try materials.secrets.secret(authorisation)
                target.fields.append(.init("Authorization", "\(value)"))
            }
            return .samples(target)
        }
    }
}

import Core
import Profiles

/// The kinds of targets, and what each has in the configuration.
enum TargetKind: String, CaseIterable {
    case influx1, influx2, influx3, webhook

    /// Reads what only this kind has.
    ///
    /// - Returns: Makes the target; nil with problems noted.
    func read(
        _ reader: inout EntryReader,
        _ common: inout TargetOptions
    ) -> TargetMaterials.MakeTarget? {
        switch self {
        case .influx1: Self.influx1(&reader, common)
        case .influx2: Self.influx2(&reader, common)
        case .influx3: Self.influx3(&reader, common)
        case .webhook: Self.webhook(&reader, common)
        }
    }

    private static func influx1(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetMaterials.MakeTarget? {
        let url = reader.url("url")
        let database = reader.object.required("database")
        let user = reader.object.string("user")
        let password = reader.secret("password", isRequired: user != nil)
        let line = line(&reader)
        guard let url, let database else { return nil }
        return { materials in
            .samples(
                InfluxTarget(
                    url: MaskedText(url),
                    .one(
                        database: database,
                        user: user,
                        password: try password.map(materials.secrets.secret)
                    ),
                    line(materials.station),
                    trust: common.trust
                )
            )
        }
    }

    private static func influx2(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetMaterials.MakeTarget? {
        let url = reader.url("url")
        let organisation = reader.object.required("org")
        let bucket = reader.object.required("bucket")
        let token = reader.secret("token")
        let line = line(&reader)
        guard let url, let organisation, let bucket, let token else { return nil }
        return { materials in
            .samples(
                InfluxTarget(
                    url: MaskedText(url),
                    .two(
                        organisation: organisation,
                        bucket: bucket,
                        token: try materials.secrets.secret(token)
                    ),
                    line(materials.station),
                    trust: common.trust
                )
            )
        }
    }

    private static func influx3(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetMaterials.MakeTarget? {
        let url = reader.url("url")
        let database = reader.object.required("database")
        let token = reader.secret("token")
        let line = line(&reader)
        guard let url, let database, let token else { return nil }
        return { materials in
            .samples(
                InfluxTarget(
                    url: MaskedText(url),
                    .three(database: database, token: try materials.secrets.secret(token)),
                    line(materials.station),
                    trust: common.trust
                )
            )
        }
    }

    private static func line(
        _ reader: inout EntryReader
    ) -> @Sendable (StationIdentity) -> LineProtocol {
        let measurement = reader.object.string("measurement") ?? "roost"
        let hasFlags = reader.object.bool("flags") ?? false
        return { station in
            LineProtocol(
                measurement: measurement,
                tags: ["station": station.name],
                hasFlags: hasFlags
            )
        }
    }

    private static func webhook(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetMaterials.MakeTarget? {
        let url = reader.secretURL("url")
        let key = reader.secret("signature", isRequired: false)
        let authorisation = reader.secret("authorization", isRequired: false)
        let expect = reader.object.string("expect")
        let isOnce = reader.object.bool("atMostOnce") ?? false
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

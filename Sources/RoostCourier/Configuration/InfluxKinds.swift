import Core
import Profiles

/// Parser of the targets in `courier.json` that take InfluxDB's line protocol.
enum InfluxKinds {
    static func influx1(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let url = server(&reader)
        let database = reader.object.required("database")
        let user = reader.object.string("user")
        let password = reader.secret("password", isRequired: user != nil)
        let line = line(&reader)
        guard let url, let database else { return nil }
        return { materials in
            samples(
                InfluxTarget(
                    url: MaskedText(url),
                    .one(
                        database: database,
                        user: user,
                        password: try password.map(materials.secrets.secret)
                    ),
                    line(materials.station),
                    trust: common.trust
                ),
                materials.clock
            )
        }
    }

    static func influx2(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let url = server(&reader)
        let organisation = reader.object.required("org")
        let bucket = reader.object.required("bucket")
        let token = reader.secret("token")
        let line = line(&reader)
        guard let url, let organisation, let bucket, let token else { return nil }
        return { materials in
            samples(
                InfluxTarget(
                    url: MaskedText(url),
                    .two(
                        organisation: organisation,
                        bucket: bucket,
                        token: try materials.secrets.secret(token)
                    ),
                    line(materials.station),
                    trust: common.trust
                ),
                materials.clock
            )
        }
    }

    static func influx3(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        let url = server(&reader)
        let database = reader.object.required("database")
        let token = reader.secret("token")
        let line = line(&reader)
        guard let url, let database, let token else { return nil }
        return { materials in
            samples(
                InfluxTarget(
                    url: MaskedText(url),
                    .three(database: database, token: try materials.secrets.secret(token)),
                    line(materials.station),
                    trust: common.trust
                ),
                materials.clock
            )
        }
    }

    private static func samples(
        _ target: InfluxTarget,
        _ clock: any NodeClock
    ) -> TargetWork {
        var target = target
        target.clock = clock
        return .samples(target)
    }

    private static func line(
        _ reader: inout EntryReader
    ) -> @Sendable (StationIdentity) -> LineProtocol {
        let measurement = reader.object.string("measurement") ?? "roost"
        let hasFlags = reader.flag("flags", usual: false)
        return { station in
            LineProtocol(
                measurement: measurement,
                tags: ["station": station.name],
                hasFlags: hasFlags
            )
        }
    }

    /// Reads the server's URL, without the path that each version of InfluxDB has.
    private static func server(_ reader: inout EntryReader) -> String? {
        guard let url = reader.url("url", isWhole: true) else { return nil }
        // A proxy may serve InfluxDB below a path.
        let path = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2)
        let own = path.first { ["api", "write", "query"].contains($0.prefix { $0 != "?" }) }
        guard own == nil, !url.contains("?") else {
            let words = "is the server's address alone, as http://192.168.1.5:8086: "
            reader.object.problem("url", words + "the paths of its interface are added")
            return nil
        }
        return url
    }
}

import Core
import Profiles

/// Parser of the heartbeat targets in `courier.json`.
enum HeartbeatKind {
    static func read(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        reader.object.leaveOut([
            "streams", "backlog", "maxAgeSeconds", "paceSeconds", "batchSeconds", "timeoutSeconds",
        ])
        let url = reader.secretURL("url")
        let every = reader.object.seconds("everySeconds", in: 60...86_400) ?? .seconds(300)
        let saysUnwell = reader.flag("fail", usual: true)
        guard let url else { return nil }
        return { materials in
            var target = HeartbeatTarget(
                url: try url.text(materials.secrets),
                period: every,
                saysUnwell: saysUnwell
            )
            target.trust = common.trust
            return .heartbeat(target)
        }
    }
}

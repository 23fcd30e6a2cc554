import ControlProtocol
import Core
import Devices
import Profiles

/// Answers `profiles` and `checkProfile`.
struct ControlProfiles {
    let station: StationContext
    /// Profiles in use.
    let catalog: ProfileCatalog

    var report: ProfilesReport {
        ProfilesReport(profiles: catalog.profiles.map(ProfileReport.init))
    }

    /// Reads a profile as if it lay in the owner's folder; nothing is kept of it.
    ///
    /// - Throws: `CancellationError`.
    func check(_ text: String) async throws -> ProfileCheckReport {
        let bytes = Array(text.utf8)
        // The shipped ones are read along: two milliseconds each on a small computer.
        return try await station.platform.onDisk {
            let name = Self.name(of: bytes)
            let file = ProfileFile(path: name, bytes: bytes)
            let catalog = ProfileCatalog(overlay: [file], reader: .checking)
            let mistakes = catalog.problems.flatMap(\.problems).map { problem in
                ProfileCheckReport.Mistake(
                    place: problem.place,
                    reason: problem.message,
                    suggestion: problem.suggestion
                )
            }
            let read = catalog.profiles.first { $0.origin == name }
            return ProfileCheckReport(id: read?.id, mistakes: mistakes)
        }
    }
}

extension ControlProfiles {
    /// A file is named after its profile; what has no readable id gets a name of its own.
    private static func name(of bytes: [UInt8]) -> String {
        // No mistake is reported here: the profile reader reports them.
        guard case .object(let fields)? = try? JSONParser.parse(bytes),
            case .string(let id)? = fields["id"], (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x7A).contains($0) })
        else { return "profile.json" }
        return "\(id).json"
    }
}

extension ProfileReport {
    init(_ profile: Profile) {
        self.init(
            id: profile.id,
            kind: (profile.kind.rawValue, profile.driver),
            text: (profile.name, profile.description),
            isOwn: !profile.origin.hasPrefix("shipped/"),
            duty: profile.duty.map { ($0.period.inSeconds, $0.warmUp.inSeconds) },
            channels: profile.channels.map { channel in
                Channel(
                    quantity: channel.quantity.name,
                    unit: channel.quantity.unit,
                    decimals: channel.quantity.decimals,
                    range: channel.range,
                    words: channel.description
                )
            }
        )
        if profile.duty != nil { preheatSeconds = profile.preheat.inSeconds }
    }
}

import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Devices
import LinuxPlatform
import Profiles

struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract:
            "What Roost knows of sensors and computers, and whether a profile of yours is right.",
        discussion: """
            A profile is a JSON file: what a device is, how it is recognised, how it is run. \
            Yours lie in \(ProfileCatalog.standardFolder); one with the id of a shipped one takes \
            its place. No station is needed for any of this.

            Examples: roost profiles list
                      roost profiles show nova-sds011
                      roost profiles check my-meter.json
            """,
        subcommands: [
            ProfilesListCommand.self, ProfilesShowCommand.self, ProfilesCheckCommand.self,
            ProfilesRulesCommand.self, ProfilesGraphCommand.self,
        ]
    )
}

struct ProfilesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "All profiles, shipped and your own.",
        discussion: """
            Examples: roost profiles list
                      roost profiles list --kind usb-serial --json
                      roost profiles list --profiles ./my-profiles
            """
    )
    @OptionGroup var options: ProfilesOptions

    @Option(help: "Only of this kind: usb-serial, gpio, http or board.")
    var kind: String?

    func validate() throws {
        let kinds = Profile.Kind.allCases.map(\.rawValue)
        guard let kind, !kinds.contains(kind) else { return }
        throw ValidationError("--kind is \(kinds.joined(separator: ", ")), not \(kind)")
    }

    func run() throws {
        let profiles = options.catalog().profiles
            .filter { kind == nil || $0.kind.rawValue == kind }
        if options.json {
            return Output.line(
                try ControlCodec.line(["profiles": profiles.map(ProfileSummary.init)])
            )
        }
        let width = profiles.map(\.id.count).max() ?? 0
        for profile in profiles {
            let columns = [
                profile.id.padded(to: width), profile.kind.rawValue.padded(to: 10), profile.name,
            ]
            Output.line(columns.joined(separator: "  "))
        }
    }
}

/// One line of a list.
struct ProfileSummary: Codable, Hashable {
    let id: String
    let kind: String
    let name: String
    let driver: String?
    let channels: [String]
    let origin: String

    init(_ profile: Profile) {
        (id, name, driver) = (profile.id, profile.name, profile.driver)
        (kind, origin) = (profile.kind.rawValue, profile.origin)
        channels = profile.channels.map(\.quantity.name)
    }
}

struct ProfilesShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "One profile as text, or as the file that it is.",
        discussion: """
            Examples: roost profiles show plantower-pms
                      roost profiles show generic-line --json > my-meter.json
            """
    )
    @OptionGroup var options: ProfilesOptions

    @Argument(help: "The profile's id.")
    var id: String

    func run() throws {
        let profile = try options.profile(id)
        guard options.json else {
            for line in ProfileText.lines(profile) { Output.line(line) }
            return
        }
        let shipped = ShippedProfiles.files.first { $0.path == profile.origin }
        let file = shipped ?? ProfileFolder.file(profile.origin)
        guard case .success(let bytes) = file.contents else {
            throw ClientFailure(message: "\(profile.origin): cannot be read", exitCode: 1)
        }
        Output.write(String(decoding: bytes, as: UTF8.self))
    }
}

struct ProfilesGraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "What is reckoned from a profile's raw channels.",
        discussion: """
            Examples: roost profiles graph safecast-bgeigie-nano
                      roost profiles graph my-meter --json
            """
    )
    @OptionGroup var options: ProfilesOptions

    @Argument(help: "The profile's id.")
    var id: String

    func run() throws {
        let profile = try options.profile(id)
        if options.json {
            return Output.line((profile.graph ?? .object([:])).text)
        }
        for line in ProfileText.graph(profile) { Output.line(line) }
    }
}

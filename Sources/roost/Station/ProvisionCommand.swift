import ArgumentParser
import ClientSupport
import ControlProtocol
import Eyes
import FileIO
import Glibc
import LinuxPlatform
import Profiles
import Provisioning
import ProvisioningIO
import SQLite

struct ProvisionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision",
        abstract: "Takes the settings that a person put on the card's boot partition.",
        discussion: """
            roost-provision.service runs it at each start of an image. It reads station.txt, \
            roost.json, courier.json, eyes.json, roost-claim.txt, the files in secrets, and what \
            Raspberry Pi Imager writes (firstrun.sh, or user-data and network-config). Each \
            content counts once. What is wrong stands in \
            roost-said.txt beside them, with file, line and what to do, and what is wrong \
            with the card; the station starts anyway. \
            roost-access-point.service runs it with --wifi: why there is no Wi-Fi stands there, \
            too, until there is. \
            roost-network.service runs it with --network: it does what the page Network \
            asked for. roost-wires.service runs it with --wires, for sensors with a wire of \
            their own. Passwords and secrets are removed from the card once they are taken.

            Examples: sudo roost provision --folder /boot/firmware
                      roost provision --folder card --root /tmp/system --json
            """
    )
    @Option(help: "Where the boot partition is mounted.")
    var folder = "/boot/firmware"

    @Option(help: "The folder of the system whose settings they are.")
    var root = "/"

    @Option(
        help: ArgumentHelp(
            "Only say what keeps the station out of its Wi-Fi, by this file: lines of "
                + "wpa_supplicant's log, `wpa_cli status` and `iw dev wlan0 scan dump`.",
            valueName: "file"
        )
    )
    var wifi: String?

    @Option(
        help: ArgumentHelp(
            "Only look for Wi-Fi networks or try one, as the page asks in this file.",
            valueName: "file"
        )
    )
    var network: String?

    @Option(
        help: ArgumentHelp(
            "Only write which sensors have a wire of their own, as the page asks in this file.",
            valueName: "file"
        )
    )
    var wires: String?

    @Option(
        help: ArgumentHelp(
            "Only write the file of wpa_supplicant for the access point, and print its name.",
            valueName: "file"
        )
    )
    var accessPoint: String?

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let place = root == "/" ? "" : root.hasSuffix("/") ? String(root.dropLast()) : root
        let boot = BootPartition(folder: folder, lockPath: "\(place)/run/roost-boot.lock")
        if try serve(boot, place) { return }
        let names: [String]
        do { names = try Files.names(in: folder) } catch {
            guard error.isAbsent else { throw ClientFailure(message: "\(error)", exitCode: 1) }
            names = []
        }
        guard !names.isEmpty else {
            throw ClientFailure(
                message: "\(folder): no files there; is the boot partition mounted?",
                exitCode: 1
            )
        }
        if let wifi {
            for line in WirelessCheck(boot: boot, root: place).run(wifi) { Output.line(line) }
            return
        }
        var provisioner = Provisioner(
            boot: boot,
            root: place,
            accounts: LinuxAccounts(root: place),
            cardFaults: place.isEmpty ? ImageMachine().map { CardFaults(of: $0).all } ?? [] : [],
            hasOwner: { Self.hasOwner(place) },
            reader: ConfigurationReader(
                mistakes: Self.mistakes,
                storeFolder: ResetCommand.storeFolder,
                journalPath: ResetCommand.journalPath
            )
        )
        let report = provisioner.run()
        if place.isEmpty, ImageMachine() != nil { try WireRun(boot: boot, root: place).show() }
        guard !json else { return Output.line(try ControlCodec.line(report)) }
        for line in report.lines { Output.line(line) }
    }

    /// What the page asks for: a station whose boot partition cannot be read is served, too.
    ///
    /// - Returns: Whether that was all.
    private func serve(_ boot: BootPartition, _ place: String) throws -> Bool {
        if let network {
            Output.line(try NetworkRun(boot: boot, root: place).run(network))
        } else if let wires {
            let done = try WireRun(boot: boot, root: place).run(wires)
            Output.line(done.line)
            if done.restarts { try UpdateRestart.now() }
        } else if let accessPoint {
            let hasOwner = Self.hasOwner(place, orIsUnreadable: true)
            let point = AccessPoint(root: place, hasOwner: hasOwner)
            Output.line(try point.write(accessPoint))
        } else {
            return false
        }
        return true
    }

    /// Whether the dashboard has an owner.
    ///
    /// A file that cannot be read counts as without one where a code is asked for: the page gets it
    /// and says why. It opens no access point.
    private static func hasOwner(_ root: String, orIsUnreadable: Bool = false) -> Bool {
        let path = "\(root)/var/lib/roost-web/web.db"
        do throws(SQLiteError) {
            let database = try Connection(path, mode: .readOnly)
            let sql = "SELECT count(*) FROM accounts WHERE role = 'owner'"
            return (try database.scalar(sql) ?? 0) > 0
        } catch { return orIsUnreadable && access(path, F_OK) == 0 }
    }

    /// Returns the mistakes that the file's own program finds.
    private static func mistakes(_ file: ConfigurationFile, _ path: String) -> [String] {
        do {
            switch file {
            case .station: _ = try StationFiles(path: path, profiles: nil).read()
            case .camera:
                let bytes = try FileBytes.read(path, limit: EyesConfiguration.byteLimit + 1)
                _ = try EyesConfiguration(bytes, file: path)
            case .courier: return try CourierMistakes.found(in: path)
            }
            return []
        } catch let error as ConfigurationError {
            return error.problems.map { "\($0)" }
        } catch { return ["it cannot be checked: \(error)"] }
    }
}

/// Mistakes that `roost-courier check` finds in a configuration.
private enum CourierMistakes {
    private struct Report: Decodable {
        struct Problem: Decodable {
            let place: String
            let message: String
            let suggestion: String?
        }

        let problems: [Problem]
    }

    static func found(in path: String) throws -> [String] {
        let program = try SisterProgram.path("roost-courier")
        let said = try ChildProgram.output(of: [program, "check", "--json", path])
        return try ControlCodec.message(Report.self, from: said).problems.map { problem in
            let (place, message, suggestion) = (problem.place, problem.message, problem.suggestion)
            return "\(ConfigurationProblem(place: place, message: message, suggestion: suggestion))"
        }
    }
}

extension ProvisionReport {
    fileprivate var lines: [String] {
        let wrong = problems.map { problem in
            "\(problem.file)\(problem.line.map { ", line \($0)" } ?? ""): \(problem.sentence). "
                + "\(problem.nextStep)."
        }
        let used = taken.isEmpty ? [] : ["taken: \(taken.joined(separator: ", "))"]
        let lines = start + wrong + used + notes
        return lines.isEmpty ? ["nothing is new"] : lines
    }
}

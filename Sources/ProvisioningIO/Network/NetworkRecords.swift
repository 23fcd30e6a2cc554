import ControlProtocol
import Core
import FileIO
import Glibc
import HardwareIO
import LinuxIO
import Provisioning

/// Files by which the root service answers the page, and the configuration that is tried.
package struct NetworkRecords {
    /// The new configuration, beside the present one until it is proved.
    static let candidate = SettingsWriter.wireless + ".candidate"

    /// Path of the system's root; empty for this machine.
    let root: String

    package init(root: String) { self.root = root }

    private var folder: String { "\(root)/\(NetworkSurvey.folder)" }

    /// Text of the present configuration.
    var configuration: String { Files.text(root + SettingsWriter.wireless, limit: 1 << 16) ?? "" }

    var survey: NetworkSurvey {
        Files.text("\(root)/\(NetworkSurvey.path)", limit: NetworkSurvey.byteCountMax).flatMap {
            try? ControlCodec.message(NetworkSurvey.self, from: $0)
        } ?? NetworkSurvey()
    }

    func keep(_ survey: NetworkSurvey) throws { try write(survey, NetworkSurvey.path) }
    func keep(_ outcome: NetworkOutcome) throws { try write(outcome, NetworkOutcome.path) }

    /// Shows what is being done, without the password.
    func show(_ request: NetworkRequest) throws {
        let shown = NetworkRequest(request.act, network: request.network)
        try write(shown, NetworkSurvey.busyPath)
    }

    func showIdle() { unlink("\(root)/\(NetworkSurvey.busyPath)") }

    private func write(_ value: some Encodable & Sendable, _ name: String) throws {
        SettingFile.makeFolder(of: "\(root)/\(name)")
        chmod(folder, 0o755)
        let line = try ControlCodec.line(value)
        try WholeFile.write(Array((line + "\n").utf8), to: "\(root)/\(name)", mode: 0o644)
    }

    /// What the station is connected to, with the networks of a scan.
    ///
    /// - Parameters:
    ///   - scan: Output of `iw`; where it names no network, those of before stay, with their time.
    ///   - status: Output of `wpa_cli status`.
    ///   - second: Seconds since the machine started.
    func survey(scan: String, status: String, at second: Int) -> NetworkSurvey {
        var survey = NetworkSurvey()
        let (text, radio) = (configuration, "\(root)/sys/class/net/\(RadioTools.device)")
        survey.hasRadio = access(radio, F_OK) == 0
        survey.hasCable = hasCable
        survey.accessPoint = AccessPointConfiguration.name(
            hardwareAddress: Files.line("\(radio)/address") ?? ""
        )
        survey.rule = AccessPoint(root: root, hasOwner: true).rule?.rawValue
        survey.joined = isAccessPoint ? nil : Self.joined(status)
        survey.known = WirelessConfiguration.network(of: text).map { Hexadecimal.text($0.name) }
        survey.country = WirelessConfiguration.country(of: text)
        survey.networks = NetworkInRange.list(scan)
        survey.seenAt = second
        guard survey.networks.isEmpty else { return survey }
        let before = self.survey
        (survey.networks, survey.seenAt) = (before.networks, before.seenAt)
        return survey
    }

    var isAccessPoint: Bool { access("\(root)/run/roost-access-point/address", F_OK) == 0 }

    private var hasCable: Bool {
        let place = "\(root)/sys/class/net"
        let names = (try? Files.names(in: place)) ?? []
        return names.contains { name in
            access("\(place)/\(name)/device", F_OK) == 0
                && access("\(place)/\(name)/phy80211", F_OK) != 0
                && Files.line("\(place)/\(name)/carrier") == "1"
        }
    }

    private static func joined(_ status: String) -> String? {
        let lines = status.split(separator: "\n")
        guard lines.contains("wpa_state=COMPLETED"),
            let line = lines.first(where: { $0.hasPrefix("ssid=") })
        else { return nil }
        return Hexadecimal.text(WirelessEvidence.name(escaped: line.dropFirst(5)))
    }
}

extension NetworkRecords {
    /// Removes a configuration whose try did not end, as the power was lost.
    ///
    /// The present one was in its place all the while.
    func endInterrupted() throws(StorageError) {
        let path = root + Self.candidate
        guard let text = Files.text(path, limit: 1 << 16) else { return }
        try discard()
        guard let network = WirelessConfiguration.network(of: text) else { return }
        try? keep(NetworkOutcome(Hexadecimal.text(network.name), .interrupted))
    }

    func discard() throws(StorageError) {
        let path = root + Self.candidate
        guard unlink(path) == 0 || errno == ENOENT else {
            throw StorageError("unlink", errno: errno, path)
        }
        do { try Files.sync(folder: Files.folder(of: path)) } catch { throw StorageError(error) }
    }

    /// Puts the configuration that was tried in the place of the present one.
    func adopt() throws(StorageError) {
        do { try Files.publish(root + Self.candidate, as: root + SettingsWriter.wireless) } catch {
            throw StorageError(error)
        }
    }
}

import ControlProtocol
import Core
import FileIO
import Glibc
import HardwareIO
import LinuxIO
import Provisioning

/// Does as root what the page asked for: looks for networks, or tries one.
package struct NetworkRun {
    private let root: String
    private let boot: BootPartition
    private let records: NetworkRecords
    private let tools: RadioTools

    /// - Parameters:
    ///   - root: Path of the system's root; empty for this machine.
    package init(boot: BootPartition, root: String) {
        (self.boot, self.root) = (boot, root)
        records = NetworkRecords(root: root)
        tools = RadioTools(root: root)
    }

    /// Reads a request, which is gone from then on, and does it.
    ///
    /// - Returns: One line for the journal.
    /// - Throws: Where the request cannot be read, or the answer not written.
    package func run(_ path: String) throws -> String {
        defer { records.showIdle() }
        let request: NetworkRequest
        let hidden: String
        do {
            // It is gone once the page sees that it is being done: there is no moment between.
            defer { unlink(path) }
            guard let bytes = try Files.readSecret(path, limit: NetworkRequest.byteCountMax) else {
                return "nothing was asked for"
            }
            let text = String(decoding: bytes, as: UTF8.self)
            request = try ControlCodec.message(NetworkRequest.self, from: text)
            hidden = show(request)
        }
        try records.endInterrupted()
        guard request.act != .point else { return try choosePoint(request) + hidden }
        guard request.act == .join else {
            let isPoint = records.isAccessPoint
            let survey = records.survey(
                scan: tools.scan(isAccessPoint: isPoint),
                status: isPoint ? "" : tools.status,
                at: RadioTools.second
            )
            try records.keep(survey)
            return "\(survey.networks.count) networks in range\(hidden)"
        }
        let outcome = try join(request)
        var shown = outcome
        shown.time = ImageMachine.now
        try records.keep(shown)
        // A look of its own would disturb the network that starts now.
        var survey = records.survey(scan: tools.seen, status: "", at: RadioTools.second)
        if outcome.result == .joined { survey.joined = outcome.network }
        try records.keep(survey)
        return "\(request.shownNetwork): \(outcome.result.rawValue)"
            + (outcome.why.map { ". \($0)" } ?? "") + hidden
    }

    /// Shows what is done; returns what the journal says where the page cannot show it.
    private func show(_ request: NetworkRequest) -> String {
        do {
            try records.show(request)
            return ""
        } catch { return "; the page did not show that it was being done: \(error)" }
    }

    /// Changes who may join the access point, and says its password on the card.
    private func choosePoint(_ request: NetworkRequest) throws -> String {
        let rule = try request.checkedRule()
        try AccessPoint(root: root, hasOwner: true).choose(rule)
        var survey = records.survey
        survey.rule = rule?.rawValue
        try records.keep(survey)
        let isSaid = WirelessCheck(boot: boot, root: root).repeatWords()
        return "access point: \(rule?.rawValue ?? NetworkRequest.afterClaim)"
            + (isSaid ? "" : "; the card does not say its password before the next start")
    }

    private func join(_ request: NetworkRequest) throws -> NetworkOutcome {
        let before = records.configuration
        let text: String?
        do throws(NetworkRequest.Refusal) {
            let country = try request.checkedCountry()
            text = WirelessConfiguration.text(
                try request.wireless(),
                country: country ?? WirelessConfiguration.country(of: before),
                before: before
            )
        } catch {
            return NetworkOutcome(request.network ?? "", .invalid, why: error.words)
        }
        let network = request.network?.lowercased() ?? ""
        guard let text else {
            let why = "the station has no password of this network"
            return NetworkOutcome(network, .invalid, why: why)
        }
        let outcome = attempt(text).outcome(of: network)
        try say(outcome, hadNetwork: WirelessConfiguration.network(of: before) != nil)
        return outcome
    }

    private func attempt(_ text: String) -> NetworkTrial {
        var trial = NetworkTrial(hadPoint: records.isAccessPoint)
        let start = RadioTools.second
        var waited = 0
        trial.run { step in
            do {
                guard step != .look else {
                    try tools.wait(seconds: 2)
                    waited += 2
                    let finding = tools.finding(text)
                    return .seen(finding, second: max(waited, RadioTools.second - start))
                }
                try carryOut(step, text)
                return .done
            } catch { return .failed("\(error)") }
        }
        return trial
    }

    private func carryOut(_ step: NetworkTrial.Step, _ text: String) throws {
        switch step {
        case .keepCandidate:
            try SettingFile.put(text, root + NetworkRecords.candidate, mode: 0o600)
        case .freeRadio: try tools.free()
        case .startCandidate: try tools.startCandidate(root + NetworkRecords.candidate)
        case .look: break
        case .adopt: try records.adopt()
        case .endCandidate: tools.endCandidate()
        case .discard: try records.discard()
        case .startPresent: try tools.startPresent()
        case .openPoint(let isAtOnce): try tools.openPoint(atOnce: isAtOnce)
        }
    }

    /// Says on the card why a station without another network is in none, or that it is over.
    private func say(_ outcome: NetworkOutcome, hadNetwork: Bool) throws {
        guard outcome.result == .joined || !hadNetwork else { return }
        let check = WirelessCheck(boot: boot, root: root)
        guard check.say(outcome.result == .joined ? nil : outcome.why) else { return }
        try tools.reloadStation()
    }
}

extension NetworkRequest {
    /// The network's name on a line of the journal.
    fileprivate var shownNetwork: String {
        let name = network.flatMap(Hexadecimal.bytes) ?? []
        return "'\(PlainText.shown(String(decoding: name, as: UTF8.self)))'"
    }
}

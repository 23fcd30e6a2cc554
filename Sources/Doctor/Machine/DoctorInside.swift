import ControlProtocol
import LinuxPlatform
import Profiles

/// The checks as the station asks them of its own machine while it runs.
///
/// What its sandbox hides is named instead of guessed, and what would wait for the network or for
/// the station itself is left to `roost doctor`. Reading takes some 50 ms: not on the loop.
package struct DoctorInside: Sendable {
    /// Checks that would ask this very process or the camera's, or wait seconds for a machine.
    static let left = ["station", "camera", "http-devices"]
    /// Checks that need other users' processes or the machine's own mounts.
    static let outside = [
        "serial-holders", "modem-manager", "clock-keeper", "instance", "card-mount",
        "card-writable", "courier", "courier-secrets",
    ]

    private let path: String

    package init(configuration path: String) { self.path = path }

    /// Asks all checks that can be answered from here.
    package func report() -> FindingsReport {
        let tree = DoctorTree(root: "/")
        var machine = DoctorMachine.live { _ in nil }
        machine.httpTrouble = { _ in nil }
        let place = DoctorRoot(tree: tree, machine: machine, configurationPath: path)
        return Self.report(DoctorFacts(place), isSandboxed: tree.line("/proc/1/comm") == nil)
    }

    static func report(_ facts: DoctorFacts, isSandboxed: Bool) -> FindingsReport {
        let hidden = Set(left + (isSandboxed ? outside : []))
        let checks = DoctorChecks.all.filter { !hidden.contains($0.name) }
        let findings = DoctorReport(facts, checks).findings.map { entry in
            FindingReport(
                name: entry.name,
                verdict: entry.verdict.rawValue,
                sentence: entry.sentence,
                details: entry.details,
                nextStep: entry.nextStep
            )
        }
        return FindingsReport(
            findings: findings,
            hidden: DoctorChecks.all.map(\.name).filter(hidden.contains)
        )
    }
}

import Profiles

/// The findings of the doctor, check by check.
package struct DoctorReport: Codable, Hashable, Sendable {
    package struct Question: Codable, Hashable, Sendable {
        package let name: String
        package let asks: String

        package init(name: String, asks: String) { (self.name, self.asks) = (name, asks) }
    }

    package struct Entry: Codable, Hashable, Sendable {
        package let name: String
        package let verdict: DoctorVerdict
        package let sentence: String
        package let details: [String]
        package let nextStep: String?
    }

    /// Model such as `Raspberry Pi 4 Model B Rev 1.4`; nil without a device tree.
    package let model: String?
    /// The board profile's id.
    package let board: String?
    package let worst: DoctorVerdict
    package let findings: [Entry]

    /// - Parameters:
    ///   - root: The folder of the image that was looked at; nil for this machine.
    package init(
        _ facts: DoctorFacts,
        _ checks: [DoctorCheck] = DoctorChecks.all,
        image root: String? = nil
    ) {
        model = facts.model
        board = facts.board?.id
        findings = checks.map { check in
            let finding = check.decide(facts)
            return Entry(
                name: check.name,
                verdict: finding.verdict,
                sentence: finding.sentence,
                details: finding.details,
                nextStep: finding.next.map { next in
                    root.map { DoctorImage(root: $0).commands(next) } ?? next
                }
            )
        }
        let order = DoctorVerdict.allCases
        let worst = findings.compactMap { order.firstIndex(of: $0.verdict) }.max()
        self.worst = worst.map { order[$0] } ?? .ok
    }

    /// 0 nothing or notes, 1 warnings, 2 failures.
    package var exitCode: Int32 {
        switch worst {
        case .skipped, .ok, .note: 0
        case .warning: 1
        case .failure: 2
        }
    }
}

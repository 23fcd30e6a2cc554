import Core
import Store

/// How much of all channels is missing for a cause: in `/proof`.
package struct ProofMissing: Codable, Hashable, Sendable {
    package let cause: GapCause
    /// 0…1 of the time in which values were due, of all channels that ever had one.
    package let share: Double
    /// What the channel that misses most for it misses: those of a device are missing together.
    package let seconds: Double
    /// Stretches of that channel.
    package let count: Int
    /// Whose channels; empty where all devices miss some.
    package let devices: [String]

    /// Sums up ledgers; channels without a value count nowhere, nor does time whose samples the
    /// history no longer has: only its rollups say what was measured then.
    ///
    /// - Returns: The share of time of which nothing recorded says why it is missing, and what is
    ///   missing by cause, most first.
    static func all(
        of lines: [GapLedgerReport.Line]
    ) -> (unknownShare: Double, causes: [ProofMissing]) {
        let lines = lines.filter { $0.valueCount > 0 }
        let due = lines.reduce(0) { $0 + $1.dueTenths }
        guard due > 0 else { return (0, []) }
        let devices = Set(lines.map(\.device))
        var sums: [GapCause: (tenths: Int64, most: GapLedgerReport.Gap, devices: Set<String>)] = [:]
        for line in lines {
            for gap in line.gaps where gap.cause.isMissing {
                let sum = sums[gap.cause] ?? (0, gap, [])
                sums[gap.cause] = (
                    sum.tenths + gap.tenths, sum.most.tenths < gap.tenths ? gap : sum.most,
                    sum.devices.union([line.device])
                )
            }
        }
        let unknown = lines.reduce(0) { $0 + $1.unexplainedTenths }
        let causes = sums.sorted {
            ($1.value.tenths, $0.key.rawValue) < ($0.value.tenths, $1.key.rawValue)
        }
        return (
            Double(unknown) / Double(due),
            causes.map { cause, sum in
                ProofMissing(
                    cause: cause,
                    share: (Double(sum.tenths) / Double(due)).rounded(decimals: 6),
                    seconds: Double(sum.most.tenths) / 10,
                    count: sum.most.count,
                    devices: sum.devices == devices ? [] : sum.devices.sorted()
                )
            }
        )
    }
}

extension GapLedgerReport.Line {
    /// Time in which values were due, of what samples still say.
    fileprivate var dueTenths: Int64 {
        gaps.reduce(elapsedTenths) { $1.cause.isMissing ? $0 : $0 - $1.tenths }
    }

    fileprivate var device: String { String(channel.prefix { $0 != "/" }) }
}

extension GapCause {
    fileprivate var isMissing: Bool { isLoss && self != .expired }
}

/// `roost-claim.txt`: the code that makes the first account of the dashboard.
///
/// The dashboard reads it; here it is looked at only so that a mistake is said on the card.
package enum ClaimCode {
    package static let name = "roost-claim.txt"

    /// - Returns: Why it is none; nil for a right one.
    package static func problem(_ bytes: [UInt8]) -> ProvisionProblem? {
        let next = "Write one line of 8 to 64 letters and digits into it"
        let lines: PlainLines
        do throws(ProvisionProblem) { lines = try PlainLines(bytes, of: name) } catch {
            return error
        }
        let written = lines.lines.filter { !$0.text.trimmedSpace.isEmpty }
        let letters = (written.first?.text.trimmedSpace ?? "").filter { !"- ".contains($0) }
        guard written.count == 1, (8...64).contains(letters.count),
            letters.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else {
            return ProvisionProblem(name, "it holds no code, and is not used", next: next)
        }
        return nil
    }
}

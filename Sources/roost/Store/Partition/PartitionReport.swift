/// Whether a partition is the journal's now, and what comes next.
struct PartitionReport: Encodable, Hashable {
    struct Refusal: Encodable, Hashable {
        let code: String
        let sentence: String
    }

    /// `marked`, `present` or `refused`.
    let state: String
    let device: String
    let nextStep: String
    var refusal: Refusal?

    /// A partition that is marked, now or before.
    init(_ device: String, isNew: Bool) {
        (state, self.device) = (isNew ? "marked" : "present", device)
        nextStep =
            "\"store\": {\"journal\": \"auto\"} in /etc/roost/roost.json, "
            + "then: sudo systemctl restart roostd"
    }

    init(_ facts: PartitionFacts, _ refusal: PartitionFacts.Refusal) {
        (state, device, nextStep) = ("refused", facts.path, facts.nextStep(refusal))
        self.refusal = Refusal(code: refusal.code, sentence: facts.sentence(refusal))
    }

    var lines: [String] {
        let sentence =
            switch state {
            case "marked": "\(device): marked as the journal's"
            case "present": "\(device): is the journal's already; nothing was changed"
            default: refusal?.sentence ?? ""
            }
        return [sentence, "next: \(nextStep)"]
    }
}

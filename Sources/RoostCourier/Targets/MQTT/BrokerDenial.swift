/// A broker's refusal, with its reason code.
struct BrokerDenial: Error, Hashable {
    let code: Int
    let topic: String

    var outcome: DeliveryOutcome {
        switch code {
        case 0x86, 0x87: .hold(DeliveryReason("not-authorised", text))
        case 0x90, 0x95, 0x99: .refused(DeliveryReason("refused", text))
        default: .later(DeliveryReason("broker", text))
        }
    }

    /// Sentence for people.
    var text: String {
        let number = "0x" + String(code, radix: 16)
        return switch code {
        case 0x86, 0x87: "the broker forbids \(topic) (\(number))"
        case 0x90, 0x95, 0x99: "the broker refuses a message to \(topic) (\(number))"
        default: "the broker cannot take it now (\(number))"
        }
    }
}

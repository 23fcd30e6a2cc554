import Core

/// Sends notices as mail, those of one alert as one thread.
///
/// - Source: RFC 5322 (form), RFC 2045 to 2047 (text that is not ASCII), RFC 3834 (automatic mail).
struct MailReceiver: NoticeReceiver {
    /// The account and the people; its `bytes` are filled in for each notice.
    private let envelope: MailMessage
    private let station: StationIdentity
    private let clock: any NodeClock

    var replaces: Bool { false }

    /// - Parameters:
    ///   - envelope: Server, account, sender and recipients.
    ///   - clock: Gives `Date`; without a trusted time the notice waits.
    init(_ envelope: MailMessage, station: StationIdentity, clock: any NodeClock) {
        (self.envelope, self.station, self.clock) = (envelope, station, clock)
    }

    func deliver(
        _ notice: Notice,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        guard let date = clock.wallTime else {
            let words = "a mail needs a date, and no time server has set the clock"
            return .later(DeliveryReason("time-unknown", words), afterSeconds: 60)
        }
        var message = envelope
        message.bytes = bytes(notice, at: date)
        do {
            let outcome = Self.classify(try await network.send(message))
            // A server may refuse a mail for the size of its picture.
            guard notice.picture != nil, case .refused(let reason) = outcome else { return outcome }
            message.bytes = bytes(notice.without(.refused(reason.words)), at: date)
            return Self.classify(try await network.send(message))
        } catch let failure as NetworkFailure {
            return DeliveryClassifier.classify(failure)
        }
    }

    /// Head and body of a notice's mail, with CRLF.
    func bytes(_ notice: Notice, at date: WallTime) -> [UInt8] {
        let id = messageID("\(notice.number)")
        var head = [
            ("Date", HTTPDate.mailText(date)),
            ("From", QuotedPrintable.header(envelope.from)),
            ("To", envelope.recipients.map(QuotedPrintable.header).joined(separator: ",\r\n ")),
            ("Subject", QuotedPrintable.header(subject(notice))),
            ("Message-ID", id),
        ]
        // Mails of one rule and channel form one thread: all refer to one id.
        head.append(("References", messageID(threadName(notice))))
        head += [("Auto-Submitted", "auto-generated"), ("MIME-Version", "1.0")]
        let link = notice.link.map { ["", $0] } ?? []
        let lines = [notice.title, notice.subtitle] + notice.body + link
        let text = MailPart(text: lines.joined(separator: "\n"))
        let start = head.map { "\($0.0): \($0.1)\r\n" }.joined()
        guard let picture = notice.picture else { return Array((start + text.form).utf8) }
        let parts = [text, MailPart(picture)]
        return Array((start + MailPart.mixed(parts, boundary: "picture-\(notice.number)")).utf8)
    }

    private func subject(_ notice: Notice) -> String {
        "\(notice.isTest ? "TEST: " : "")\(notice.title): \(notice.subtitle)"
    }

    private func messageID(_ name: String) -> String {
        "<n-\(name)@\(station.id).roost.invalid>"
    }

    /// Makes the thread's name of letters and digits, the same for the same key.
    private func threadName(_ notice: Notice) -> String {
        "t-" + Hexadecimal.text(Array(CourierCrypto.sha256(notice.key).prefix(8)))
    }

    private static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        let reason = DeliveryReason("smtp-\(answer.status)", answer.excerpt)
        switch answer.status {
        case 250: return .delivered
        case 530, 534, 535, 538: return .hold(reason)
        case 500...: return .refused(reason)
        default: return .later(reason)
        }
    }
}

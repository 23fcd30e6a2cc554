import RoostCourier

/// Answers of a mail server to each command of a conversation.
///
/// - Source: RFC 5321, sections 3.3 and 4.2; RFC 4954, section 6.
struct MailConversation {
    enum Step: Hashable {
        case greeting
        case hello
        case encryption
        case login
        case sender
        case recipient(String)
        case data
        /// The final dot was sent.
        case end
        case farewell
    }

    private(set) var step = Step.greeting
    /// Bytes of all answers so far.
    private(set) var byteCount = 0
    /// Refused recipients, each with the server's answer.
    private(set) var refused: [String] = []
    /// The last decisive answer: to the final dot, or the refusal that ended the conversation.
    private(set) var last: (step: Step, code: Int, text: String)?
    private var lines: [String] = []

    /// Records a command that is sent.
    mutating func sent(_ command: String) {
        let verb = command.prefix { $0 != " " && !$0.isNewline }.uppercased()
        switch verb {
        case "EHLO", "HELO": step = .hello
        case "STARTTLS": step = .encryption
        case "AUTH": step = .login
        case "MAIL": step = .sender
        case "RCPT":
            let address = command.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
            step = .recipient(String(address))
        case "DATA": step = .data
        case "QUIT": step = .farewell
        default: break  // A line of a log-in.
        }
    }

    /// Parses a line of an answer.
    mutating func received(_ line: String) {
        byteCount += line.utf8.count
        let text = line.split(whereSeparator: \.isNewline).first ?? ""
        guard text.utf8.count >= 3, let code = Int(text.prefix(3)), step != .farewell else {
            return
        }
        lines.append(String(text.dropFirst(4)))
        guard text.dropFirst(3).first != "-" else { return }
        let words = lines.joined(separator: " ")
        lines = []
        if case .recipient(let address) = step, code >= 400 {
            refused.append("\(address): \(code) \(words)")
        }
        last = (step, code, words)
        if step == .data, code < 400 { step = .end }
    }

    /// Returns the outcome of the message.
    ///
    /// - Parameters:
    ///   - failure: The failure besides the answers.
    /// - Returns: The answer to the final dot, or the refusal that ended the conversation; refused
    ///   recipients in the field `refused`.
    /// - Throws: `NetworkFailure`: `notAuthorised`, or `failure` where no answer decides.
    func outcome(
        of place: ServerAddress,
        otherwise failure: NetworkFailure?
    ) throws(NetworkFailure) -> OutboundAnswer {
        let closed = NetworkFailure(.closed, "\(place.text) broke the conversation off")
        guard let last, last.step == .end || last.code >= 400 else { throw failure ?? closed }
        let isLoginRefusal = last.step == .login && last.code >= 500
        if isLoginRefusal || [530, 534, 535, 538].contains(last.code) {
            let verb = isLoginRefusal ? "refuses the log-in" : "demands a log-in"
            let words = "\(place.text) \(verb): \(last.code) \(last.text)"
            throw NetworkFailure(.notAuthorised, words)
        }
        let fields = refused.isEmpty ? [:] : ["refused": refused.joined(separator: "; ")]
        return OutboundAnswer(last.code, fields, text: last.text)
    }
}

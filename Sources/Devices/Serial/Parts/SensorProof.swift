import Core
import HardwareIO

/// Listens for one kind of sensor until the evidence proves that it is there.
///
/// Two good measurements of one id that have a value, or one reply to a question, are proof: a
/// head, a tail and a checksum come by chance once in 2³².
package struct SensorProof: Sendable {
    package struct Evidence: Hashable, Sendable {
        /// The part's own id, if it has said so.
        package let id: String?
        /// Description: `two measurements`, `a reply to read firmware`.
        package let words: String
    }

    private var dialect: any SensorDialect
    private var heard: (id: String?, count: Int) = (nil, 0)
    /// Number of messages that were rejected.
    package private(set) var rejectedCount = 0
    /// Fault of the last rejected message, as text.
    package private(set) var lastFlaw: String?
    /// Measurements and answers that came, whether they were proof or not.
    package private(set) var goodCount = 0

    package init(_ dialect: any SensorDialect) { self.dialect = dialect }

    /// Questions that may be asked: the read-only ones.
    package var questions: [SensorCommand] { dialect.questions.filter(\.isReadOnly) }

    /// Receives the bytes that arrived.
    ///
    /// - Parameters:
    ///   - bytes: In stream order.
    ///   - question: Last command before the bytes; nil while only listening.
    /// - Returns: The evidence, once there is enough.
    package mutating func hear(_ bytes: [UInt8], after question: SensorCommand? = nil) -> Evidence?
    {
        var evidence: Evidence?
        for utterance in dialect.decode(bytes) {
            if case .rejected(let flaw) = utterance {
                rejectedCount += 1
                lastFlaw = flaw
            } else {
                goodCount += 1
            }
            guard evidence == nil else { continue }
            switch utterance {
            case .rejected, .time: break
            case .measurement(let outcomes, let id):
                if let question, question.isAnswered, question.reply == nil {
                    evidence = Evidence(id: id, words: "an answer to \(question.name)")
                } else if id == nil, outcomes.allSatisfy({ $0.value == nil }) {
                    // Several kinds of sensor look alike during warm-up: no proof.
                    continue
                } else if heard.count > 0, heard.id == id {
                    evidence = Evidence(id: id, words: "two measurements")
                } else {
                    heard = (id, 1)
                }
            case .reply(let name, let id, _):
                if let question, question.reply == name {
                    evidence = Evidence(id: id, words: "a reply to \(question.name)")
                }
            }
        }
        return evidence
    }
}

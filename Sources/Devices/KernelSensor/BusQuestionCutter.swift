import HardwareIO

/// Cuts what a simulated part receives into questions; what is none is left out.
struct BusQuestionCutter: Sendable {
    /// Bytes of a line that has begun, at most those of a question.
    private var begun: [UInt8] = []

    /// Takes bytes in stream order; returns the questions that they complete.
    mutating func cut(_ bytes: [UInt8]) -> [BusQuestion] {
        begun += bytes
        var questions: [BusQuestion] = []
        while let end = begun.firstIndex(of: UInt8(ascii: "\n")) {
            if let question = BusQuestion(begun[..<end]) { questions.append(question) }
            begun.removeSubrange(...end)
        }
        if begun.count > BusQuestion.byteLimit { begun.removeAll() }
        return questions
    }
}

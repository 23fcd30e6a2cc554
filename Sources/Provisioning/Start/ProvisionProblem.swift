import HardwareIO

/// A fault in a file of the boot partition: what is wrong, where, and what to do about it.
package struct ProvisionProblem: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    package let file: String
    package let line: Int?
    package let words: String
    package let next: String

    package init(_ file: String, line: Int? = nil, _ words: String, next: String) {
        (self.file, self.line, self.words, self.next) = (file, line, words, next)
    }

    /// Where and what, without a full stop.
    package var finding: String { "\(file)\(line.map { ", line \($0)" } ?? ""): \(words)" }

    package var description: String {
        "\(finding). \(next)."
    }
}

/// Problems of one file as they are found.
struct ProvisionProblems {
    /// Problems of a file that are kept; what is beyond them shows when these are repaired.
    static let countMax = 12

    let file: String
    private(set) var list: [ProvisionProblem] = []

    init(_ file: String) { self.file = file }

    mutating func add(_ line: Int?, _ words: String, next: String) {
        guard list.count < Self.countMax else { return }
        list.append(ProvisionProblem(file, line: line, words, next: next))
    }

    /// A text of the file as a message shows it.
    static func shown(_ text: some StringProtocol) -> String { "'\(PlainText.shown(text))'" }
}

/// A table of a page: its head, and a line for each row.
struct MarkdownTable {
    let head: [String]
    let rows: [[String]]

    init(_ head: String..., rows: [[String]]) { (self.head, self.rows) = (head, rows) }

    var text: String {
        ([head, head.map { _ in "---" }] + rows)
            .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

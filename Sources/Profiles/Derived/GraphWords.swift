/// The name in a list that is most similar to another one.
enum GraphWords {
    /// `; did you mean pm25?`, or what there is to choose from.
    static func hint(_ word: String, among known: [String]) -> String {
        let near = known.map { ($0, distance($0, word)) }.min { $0.1 < $1.1 }
        if let near, near.1 <= max(2, near.0.utf8.count / 3) { return "; did you mean \(near.0)?" }
        return known.isEmpty ? "" : "; known are \(known.prefix(24).joined(separator: ", "))"
    }

    /// Edit distance in bytes, of at most 64 each.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}

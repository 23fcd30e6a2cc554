/// The name in a list that is most similar to another one.
enum GraphWords {
    /// `; did you mean pm25?`, or what there is to choose from.
    static func hint(_ word: String, among known: [String]) -> String {
        let wanted = Array(word.utf8.prefix(64))
        let near = known.map { ($0, Spelling.distance(Array($0.utf8.prefix(64)), wanted)) }
            .min { $0.1 < $1.1 }
        if let near, near.1 <= max(2, near.0.utf8.count / 3) { return "; did you mean \(near.0)?" }
        return known.isEmpty ? "" : "; known are \(known.prefix(24).joined(separator: ", "))"
    }
}

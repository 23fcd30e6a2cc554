/// Finds the name that was probably meant.
package enum Spelling {
    /// The known name nearest to `word`, at most three changes away, case ignored.
    ///
    /// A name of three letters or fewer must be nearer: else all short names are similar.
    package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        let limit = min(3, max(1, word.count / 2))
        let wanted = Array(word.lowercased().prefix(64))
        return known.map { (distance(Array($0.lowercased()), wanted), $0) }
            .filter { $0.0 <= limit }.min { $0 < $1 }?.1
    }

    /// Edit distance: the fewest elements to insert, delete or replace.
    static func distance<Element: Equatable>(_ left: [Element], _ right: [Element]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var previous = row[0]
            row[0] = index + 1
            for column in right.indices {
                let substitution = previous + (letter == right[column] ? 0 : 1)
                previous = row[column + 1]
                row[column + 1] = min(substitution, row[column] + 1, previous + 1)
            }
        }
        return row[right.count]
    }
}

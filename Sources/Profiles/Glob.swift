/// Patterns in which `*` matches any number of characters and nothing else is special.
enum Glob {
    /// Whether all of `text` fits; needs time in proportion to the product of both lengths at most.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let (text, pattern) = (Array(text.utf8), Array(pattern.utf8))
        let star = UInt8(ascii: "*")
        var (place, index) = (0, 0)
        var retry: (place: Int, index: Int)?
        while place < text.count {
            if index < pattern.count, pattern[index] == star {
                index += 1
                retry = (place, index)
            } else if index < pattern.count, pattern[index] == text[place] {
                (place, index) = (place + 1, index + 1)
            } else if let last = retry {
                // The last star matches one more byte.
                retry = (last.place + 1, last.index)
                (place, index) = (last.place + 1, last.index)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == star }
    }

    /// Whether some text fits both patterns; ends where they first differ.
    static func meet(_ left: String, _ right: String) -> Bool {
        let (right, star) = (Array(right.utf8), UInt8(ascii: "*"))
        // Where in `right` a text may be that has gone through so much of `left`.
        var places = [Bool](repeating: false, count: right.count + 1)
        places[0] = true
        passStars(&places, right, passingAll: false)
        for byte in left.utf8 {
            var next = [Bool](repeating: false, count: places.count)
            for (place, isThere) in places.enumerated() where isThere {
                if byte == star || (place < right.count && right[place] == star) {
                    next[place] = true
                } else if place < right.count, right[place] == byte {
                    next[place + 1] = true
                }
            }
            guard next.contains(true) else { return false }
            passStars(&next, right, passingAll: byte == star)
            places = next
        }
        return places[right.count]
    }

    /// Moves past stars, which may match nothing, or past everything that a star may match.
    private static func passStars(_ places: inout [Bool], _ right: [UInt8], passingAll: Bool) {
        for place in right.indices
        where places[place] && (passingAll || right[place] == UInt8(ascii: "*")) {
            places[place + 1] = true
        }
    }
}

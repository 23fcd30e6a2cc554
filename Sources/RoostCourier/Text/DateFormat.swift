import Core
import StoreQueries

/// Date format of C's `strftime` in the C locale.
///
/// Knows `%Y %m %d %H %I %M %S %p %a %b %j %s %%`; any other sign is a mistake.
package struct DateFormat: Hashable, Sendable {
    private enum Piece: Hashable, Sendable {
        case text(String)
        case part(Character)
    }

    private let pieces: [Piece]

    /// Parses a pattern; nil when a sign after `%` is not known.
    package init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let character = rest.popFirst() {
            guard character == "%" else {
                pieces.append(.text(String(character)))
                continue
            }
            guard let part = rest.popFirst(), "YmdHIMSpabjs%".contains(part) else { return nil }
            pieces.append(part == "%" ? .text("%") : .part(part))
        }
        self.pieces = pieces
    }

    /// Returns the text of a moment in a zone.
    package func text(_ wall: WallTime, in zone: Zone) -> String {
        let second = Int(wall.nanoseconds / 1_000_000_000)
        let time = CivilTime(secondsSince1970: second + zone.offset(second))
        return pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .part(let part): part == "s" ? "\(second)" : Self.text(part, time)
            }
        }
        .joined()
    }

    private static func text(_ part: Character, _ time: CivilTime) -> String {
        let (date, hour) = (time.date, time.secondOfDay / 3_600)
        switch part {
        case "Y": return "\(date.year)"
        case "m": return CivilTime.two(date.month)
        case "d": return CivilTime.two(date.day)
        case "H": return CivilTime.two(hour)
        case "I": return CivilTime.two((hour + 11) % 12 + 1)
        case "M": return CivilTime.two(time.secondOfDay / 60 % 60)
        case "S": return CivilTime.two(time.secondOfDay % 60)
        case "p": return hour < 12 ? "AM" : "PM"
        case "a": return CivilTime.weekdays[time.weekday]
        case "b": return CivilTime.months[date.month - 1]
        // 1…366, in three digits.
        default:
            let newYear = CivilDate.firstDay(of: 1, in: date.year)
            let number = CivilDate.firstDay(of: date.month, in: date.year) + date.day - newYear
            return String(repeating: "0", count: 3 - "\(number)".count) + "\(number)"
        }
    }
}

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

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

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
        let (days, secondOfDay) = (second + zone.offset(second)).flooredDivision(by: 86_400)
        let moment = Moment(second: second, days: days, secondOfDay: secondOfDay)
        return pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .part(let part): Self.text(part, moment)
            }
        }
        .joined()
    }

    private struct Moment {
        let second: Int
        let days: Int
        let secondOfDay: Int
    }

    private static func text(_ part: Character, _ moment: Moment) -> String {
        let date = CivilDate(daysSince1970: moment.days)
        let hour = moment.secondOfDay / 3_600
        switch part {
        case "Y": return "\(date.year)"
        case "m": return two(date.month)
        case "d": return two(date.day)
        case "H": return two(hour)
        case "I": return two((hour + 11) % 12 + 1)
        case "M": return two(moment.secondOfDay / 60 % 60)
        case "S": return two(moment.secondOfDay % 60)
        case "p": return hour < 12 ? "AM" : "PM"
        case "a": return weekdays[(moment.days + 4).flooredDivision(by: 7).remainder]
        case "b": return months[date.month - 1]
        case "j":
            let number = dayOfYear(moment.days, year: date.year)
            return String(repeating: "0", count: 3 - "\(number)".count) + "\(number)"
        default: return "\(moment.second)"
        }
    }

    /// Returns the day of the year, 1…366, by stepping back to 1 January.
    private static func dayOfYear(_ days: Int, year: Int) -> Int {
        var first = days
        while CivilDate(daysSince1970: first - 1).year == year { first -= 1 }
        return days - first + 1
    }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

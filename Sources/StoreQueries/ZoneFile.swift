import Core
import FileIO

/// The rules of a zone as its file has them (RFC 9636), so that several zones can be used at once.
struct ZoneFile: Sendable {
    static let folder = "/usr/share/zoneinfo"

    /// Seconds since 1970 at which the clocks change, rising.
    private let changes: [Int64]
    /// Seconds east of Greenwich from each change on.
    private let offsets: [Int32]
    private let first: Int32
    /// The rule that holds after the last change.
    private let rule: ZoneRule?

    /// Reads a zone by its name, as `Europe/Berlin`; nil when there is no such file.
    init?(named name: String) {
        let isName =
            !name.isEmpty && name.utf8.count <= 64 && !name.hasPrefix("/") && !name.contains("..")
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        // The largest zone file has 4 KiB.
        guard isName, let bytes = Files.start(of: "\(Self.folder)/\(name)", limit: 65_536) else {
            return nil
        }
        self.init(bytes)
    }

    /// Reads the bytes of a zone file of version 2 or later; nil when they are none.
    init?(_ bytes: [UInt8]) {
        guard let old = Header(bytes, at: 0), old.version >= UInt8(ascii: "2"),
            let header = Header(bytes, at: old.end(timeBytes: 4))
        else { return nil }
        let times = header.start
        let indices = times + header.changes * 8
        let types = indices + header.changes
        let end = header.end(timeBytes: 8)
        guard header.types > 0, end <= bytes.count else { return nil }
        func offset(_ type: Int) -> Int32? {
            type < header.types ? Self.int32(bytes, types + type * 6) : nil
        }
        var changes: [Int64] = []
        var offsets: [Int32] = []
        for number in 0..<header.changes {
            guard let offset = offset(Int(bytes[indices + number])) else { return nil }
            changes.append(Self.int64(bytes, times + number * 8))
            offsets.append(offset)
        }
        (self.changes, self.offsets) = (changes, offsets)
        first = offset(0) ?? 0
        let footer = bytes[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
        rule = ZoneRule(String(decoding: footer, as: UTF8.self))
    }

    /// Seconds east of Greenwich at a second since 1970.
    func offset(_ second: Int) -> Int {
        // The first change after the second is in low...high.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= Int64(second) { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let rule { return rule.offset(second) }
        return Int(low == 0 ? first : offsets[low - 1])
    }

    private struct Header {
        let start: Int
        let version: UInt8
        let changes: Int
        let types: Int
        private let rest: (isUT: Int, isStandard: Int, leaps: Int, letters: Int)

        init?(_ bytes: [UInt8], at place: Int) {
            guard bytes.count >= place + 44,
                bytes[place..<place + 4].elementsEqual("TZif".utf8)
            else { return nil }
            func count(_ number: Int) -> Int {
                Int(ZoneFile.int32(bytes, place + 20 + number * 4).magnitude)
            }
            version = bytes[place + 4]
            start = place + 44
            rest = (count(0), count(1), count(2), count(5))
            (changes, types) = (count(3), count(4))
        }

        func end(timeBytes: Int) -> Int {
            start + changes * (timeBytes + 1) + types * 6 + rest.letters
                + rest.leaps * (timeBytes + 4) + rest.isStandard + rest.isUT
        }
    }

    private static func int32(_ bytes: [UInt8], _ place: Int) -> Int32 {
        guard place + 4 <= bytes.count else { return 0 }
        return Int32(bitPattern: bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }

    private static func int64(_ bytes: [UInt8], _ place: Int) -> Int64 {
        guard place + 8 <= bytes.count else { return 0 }
        return Int64(bitPattern: bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
}

/// When the clocks of a zone change, for all years: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// - Source: POSIX.1-2017, section 8.3, `TZ`; RFC 9636, section 3.3.1: hours from −167 to 167.
struct ZoneRule: Hashable, Sendable {
    /// The `week`-th `day` of a month, 0 being Sunday and the fifth the last; or a day of the year.
    private enum Day: Hashable, Sendable {
        case weekday(month: Int, week: Int, day: Int)
        /// 1…365, without 29 February.
        case julian(Int)
        /// 0…365.
        case ordinal(Int)
    }
    private struct Change: Hashable, Sendable {
        let day: Day
        let second: Int
    }

    private let standard: Int
    private let summer: Int
    private let begins: Change?
    private let ends: Change?

    /// Reads a rule; nil for text that is none.
    init?(_ text: String) {
        var rest = text.utf8[...]
        guard Self.name(&rest), let west = Self.time(&rest) else { return nil }
        standard = -west
        guard !rest.isEmpty else {
            (summer, begins, ends) = (-west, nil, nil)
            return
        }
        guard Self.name(&rest) else { return nil }
        summer = rest.first == UInt8(ascii: ",") ? standard + 3_600 : -(Self.time(&rest) ?? west)
        guard let begins = Self.change(&rest), let ends = Self.change(&rest), rest.isEmpty else {
            return nil
        }
        (self.begins, self.ends) = (begins, ends)
    }

    func offset(_ second: Int) -> Int {
        guard let begins, let ends else { return standard }
        let (days, _) = (second + standard).flooredDivision(by: 86_400)
        let year = CivilDate(daysSince1970: days).year
        let start = Self.days(year, begins.day) * 86_400 + begins.second - standard
        let end = Self.days(year, ends.day) * 86_400 + ends.second - summer
        // South of the equator summer lasts over the new year.
        let isSummer =
            start < end ? (start..<end).contains(second) : !(end..<start).contains(second)
        return isSummer ? summer : standard
    }

    private static func days(_ year: Int, _ day: Day) -> Int {
        let newYear = CivilDate.firstDay(of: 1, in: year)
        switch day {
        case .ordinal(let number): return newYear + number
        case .julian(let number):
            let isLeap = CivilDate.firstDay(of: 3, in: year) - newYear == 60
            return newYear + number - 1 + (isLeap && number > 59 ? 1 : 0)
        case .weekday(let month, let week, let wanted):
            let first = CivilDate.firstDay(of: month, in: year)
            let next = CivilDate.firstDay(of: month % 12 + 1, in: year + month / 12)
            let weekday = (first + 4).flooredDivision(by: 7).remainder
            var found = first + (wanted - weekday + 7) % 7 + (week - 1) * 7
            while found >= next { found -= 7 }
            return found
        }
    }

    // MARK: - Reading

    private typealias Text = Substring.UTF8View

    private static func name(_ text: inout Text) -> Bool {
        if text.first == UInt8(ascii: "<") {
            guard let end = text.firstIndex(of: UInt8(ascii: ">")) else { return false }
            text = text[text.index(after: end)...]
            return true
        }
        let letters = text.prefix { (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) }
        text = text.dropFirst(letters.count)
        return letters.count >= 3
    }

    /// Seconds in `5`, `-1`, `3:30`, `+02:00:00`.
    private static func time(_ text: inout Text) -> Int? {
        var sign = 1
        if let first = text.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            sign = first == UInt8(ascii: "-") ? -1 : 1
            text.removeFirst()
        }
        guard let hours = number(&text), hours <= 167 else { return nil }
        var sum = hours * 3_600
        for unit in [60, 1] where text.first == UInt8(ascii: ":") {
            text.removeFirst()
            guard let part = number(&text), part < 60 else { return nil }
            sum += part * unit
        }
        return sign * sum
    }

    private static func number(_ text: inout Text) -> Int? {
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        text = text.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func change(_ text: inout Text) -> Change? {
        guard text.popFirst() == UInt8(ascii: ","), let day = day(&text) else { return nil }
        guard text.first == UInt8(ascii: "/") else { return Change(day: day, second: 7_200) }
        text.removeFirst()
        return time(&text).map { Change(day: day, second: $0) }
    }

    private static func day(_ text: inout Text) -> Day? {
        switch text.first {
        case UInt8(ascii: "M"):
            text.removeFirst()
            var parts: [Int] = []
            while parts.count < 3, let part = number(&text) {
                parts.append(part)
                if parts.count < 3, text.popFirst() != UInt8(ascii: ".") { return nil }
            }
            guard parts.count == 3, (1...12).contains(parts[0]), (1...5).contains(parts[1]),
                parts[2] < 7
            else { return nil }
            return .weekday(month: parts[0], week: parts[1], day: parts[2])
        case UInt8(ascii: "J"):
            text.removeFirst()
            return number(&text).map { .julian(min(max($0, 1), 365)) }
        default: return number(&text).map { .ordinal(min($0, 365)) }
        }
    }
}

extension Zone {
    /// A zone by its name, as `Europe/Berlin`; nil when there is none.
    ///
    /// `UTC` needs no file.
    package init?(named name: String) {
        if ["UTC", "Etc/UTC", "Z"].contains(name) {
            self = .utc
            return
        }
        guard let file = ZoneFile(named: name) else { return nil }
        self.init { file.offset($0) }
    }
}

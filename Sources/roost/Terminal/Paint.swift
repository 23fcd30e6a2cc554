import Glibc

/// Colours where a person looks on, plain text everywhere else.
struct Paint {
    enum Colour: Int {
        case red = 31
        case green = 32
        case yellow = 33
        case grey = 90
    }

    let isColoured: Bool

    /// Colours on a terminal unless `NO_COLOR` is set.
    static var forStandardOutput: Paint {
        Paint(isColoured: isatty(1) == 1 && getenv("NO_COLOR") == nil)
    }

    func callAsFunction(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    func bold(_ text: String) -> String {
        isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    /// A lamp's state in its colour.
    func lamp(_ state: String?) -> String {
        switch state {
        case "good": self("● good", .green)
        case "moderate": self("● moderate", .yellow)
        case "poor": self("● poor", .red)
        case "fault": self("◌ fault", .red)
        case "unknown": self("○ unknown", .grey)
        case let other: self("○ \(other ?? "no lights")", .grey)
        }
    }

    func severity(_ severity: String, _ text: String) -> String {
        switch severity {
        case "error": self(text, .red)
        case "warning": self(text, .yellow)
        case "debug": self(text, .grey)
        default: text
        }
    }
}

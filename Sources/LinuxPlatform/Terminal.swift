import Glibc
import LinuxIO
import Logging

/// Standard output and error, unbuffered.
package enum Terminal {
    package static func line(_ text: String) { write(text, to: 1) }
    package static func error(_ text: String) { write(text, to: 2) }

    private static func write(_ text: String, to descriptor: Int32) {
        var line = text + "\n"
        line.withUTF8 { bytes in
            _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        }
    }
}

/// Log lines for people and for the journal, on standard error.
///
/// Under systemd each line begins with its level as `<4>`, and the journal adds the time.
struct LineLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let hasJournal = getenv("JOURNAL_STREAM") != nil

    init(level: Logger.Level) { logLevel = level }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let source = all["source"].map { "\($0): " } ?? ""
        let details = all.filter { $0.key != "source" }.sorted { $0.key < $1.key }
            .map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
        let line = "\(lead(event.level))\(source)\(event.message)\(details)"
        LogOutput.standardError.write(Self.plain(line)) { count in
            "\(lead(.warning))log lines left out, as nothing took them count=\(count)"
        }
    }

    private func lead(_ level: Logger.Level) -> String {
        hasJournal ? "<\(Self.priority(level))>" : "\(level.rawValue) "
    }

    /// The text without control characters: a line stays one line, also with text from outside.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "·" : $0 }
            )
        )
    }

    private static func quoted(_ text: String) -> String {
        text.contains(" ") ? "\"\(text)\"" : text
    }

    /// The syslog priority of a level.
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension Logger {
    /// A logger of whole lines on standard error.
    package init(label: String, level: Logger.Level) {
        self.init(label: label) { _ in LineLog(level: level) }
    }
}

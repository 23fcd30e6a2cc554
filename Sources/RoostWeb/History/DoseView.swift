import ControlProtocol
import Core
import Store
import StoreQueries

/// Counts and dose of a radiation counter.
enum DoseView {
    private static let day = 86_400

    /// `/dose`: for a range, else since the newest mark of the counter, else for the last day.
    static func json(_ history: OpenHistory, _ name: String?, _ range: TimeRange?) throws -> String
    {
        let (reader, times) = (history.reader, history.times)
        guard let channels = try DoseStart.counter(name, in: reader) else {
            let what = name.map { "\($0.prefix(80)) counts nothing here" }
            throw Problem.notFound(what ?? "there is no counter here")
        }
        let mark =
            range == nil ? try DoseStart.newest(of: channels.stream.device, reader, times) : nil
        let yesterday = history.now.map { WallTime(seconds: $0.wholeSeconds - day) }
        let window = range ?? TimeRange(from: mark ?? yesterday)
        let summary = try DoseSummary(channels, reader, times, window)
        return try ControlCodec.line(DoseReport(summary, window, isSinceMark: mark != nil))
    }
}

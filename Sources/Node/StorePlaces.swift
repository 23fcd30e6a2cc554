import Readings
import Store

/// Tells once when streams find no place in the history, and when they do again.
struct StorePlaces {
    /// Devices whose samples find none.
    private var placeless: [String] = []

    mutating func take(_ news: StreamNews, _ post: StorePost, _ context: StationContext) {
        post.forget(news.recycled)
        func tell(_ kind: String, _ severity: Event.Severity, _ details: [Event.Detail] = []) {
            context.recorder.note(
                Event(
                    at: context.clock.now,
                    source: "store",
                    kind: kind,
                    severity: severity,
                    details: details
                )
            )
        }
        if news.samplesGivenUp > 0 {
            let count = Event.Detail("samples", "\(news.samplesGivenUp)")
            tell("samples had no place", .error, [count])
        }
        let devices = Set(news.placeless.map(\.device)).sorted()
        guard devices != placeless else { return }
        placeless = devices
        guard !devices.isEmpty else {
            context.faults.clear(.historyFull, isTold: true)
            return tell("history has places again", .notice)
        }
        let names = devices.prefix(8).joined(separator: ", ")
        let places = Event.Detail("places", "\(news.places)")
        tell("history has no place", .error, [Event.Detail("placeless", names), places])
        context.faults.raise(
            .historyFull,
            "the history has places for \(news.places) streams, and none is free for \(names): "
                + "what is measured waits in the journal, and is given up when that is full",
            isTold: true
        )
    }
}

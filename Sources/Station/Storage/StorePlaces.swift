import Core
import Store

/// Reports once when streams find no place in the history, and once when they do again.
struct StorePlaces {
    /// Devices whose samples have no place.
    private var placeless: [String] = []
    /// Why the second copy of the small tables is not written.
    private var copyTrouble: String?
    /// Runs of samples that could not be read, since the start.
    private var damagedSegments = 0

    mutating func apply(_ news: StreamChanges, _ client: StoreClient, _ context: StationContext) {
        client.forget(news.recycled)
        let reporter = StoreReporter(context)
        if news.samplesGivenUp > 0 {
            reporter.report(.samplesGivenUp, .error, ["samples": "\(news.samplesGivenUp)"])
        }
        if news.damagedSegments > 0 {
            damagedSegments += news.damagedSegments
            reporter.report(.samplesUnreadable, .error, ["runs": "\(news.damagedSegments)"])
            context.faults.raise(
                .samplesUnreadable,
                "the journal held \(damagedSegments) runs of samples that cannot be read to their "
                    + "end: what is left of them is in the history",
                isTold: true
            )
        }
        if news.copyTrouble != copyTrouble {
            copyTrouble = news.copyTrouble
            if let words = copyTrouble {
                reporter.report(.tablesUncopied, .error, ["reason": words])
                context.faults.raise(
                    .tablesUncopied,
                    "the second copy of the history's small tables cannot be written: \(words)",
                    isTold: true
                )
            } else {
                reporter.report(.tablesCopied, .notice)
                context.faults.clear(.tablesUncopied, isTold: true)
            }
        }
        let devices = Set(news.placeless.map(\.device)).sorted()
        guard devices != placeless else { return }
        placeless = devices
        guard !devices.isEmpty else {
            context.faults.clear(.historyFull, isTold: true)
            return reporter.report(.historyHasPlaces, .notice)
        }
        let names = devices.prefix(8).joined(separator: ", ")
        let details: KeyValuePairs = ["placeless": names, "places": "\(news.places)"]
        reporter.report(.historyFull, .error, details)
        context.faults.raise(
            .historyFull,
            "the history has places for \(news.places) streams, and none is free for \(names): "
                + "what is measured waits in the journal, and is given up when that is full",
            isTold: true
        )
    }
}

import Core
import Store
import StoreQueries
import Synchronization

/// An export that is made piece by piece, each when the client has taken the one before.
///
/// It has a history of its own, so that it shows one state of it from its first row to its last.
final class ExportJob: Sendable {
    private final class Run {
        private var text: ExportText
        private var source: ChannelSamples
        private let pieces: Pieces
        private var isOver = false

        init(_ text: ExportText, _ source: ChannelSamples, _ pieces: Pieces) {
            (self.text, self.source, self.pieces) = (text, source, pieces)
        }

        func next() throws -> [UInt8]? {
            while pieces.waiting.isEmpty, !isOver { isOver = try !text.step(&source) }
            return pieces.waiting.isEmpty ? nil : pieces.waiting.removeFirst()
        }
    }

    /// Where `ExportText` leaves a piece.
    private final class Pieces {
        var waiting: [[UInt8]] = []
    }

    private let run: Mutex<Run>
    private let seat: ExportSeats.Seat
    /// What is in it, with its end fixed.
    let range: TimeRange

    /// An export at its beginning.
    ///
    /// - Parameters:
    ///   - history: Opened for it alone.
    ///   - format: What to write.
    ///   - names: Channels; none for all.
    ///   - range: From when to when.
    ///   - seat: Given back with the job.
    /// - Throws: `Problem` `not-found` for a channel that is not there; what the store throws.
    init(
        _ history: sending OpenHistory,
        _ format: TextFormat,
        _ names: [String],
        _ range: TimeRange,
        _ seat: ExportSeats.Seat
    ) throws {
        (self.range, self.seat) = (range, seat)
        let wanted = try names.map { try history.channel($0) }
        let source = try ChannelSamples(history, wanted, range)
        let pieces = Pieces()
        let text = ExportText(format) { pieces.waiting.append($0) }
        run = Mutex(Run(text, source, pieces))
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: What the store throws.
    func next() throws -> [UInt8]? { try run.withLock { try $0.next() } }
}

/// The samples of some channels, or of all.
private struct ChannelSamples: SampleSource {
    private var samples: StoreSamples
    /// Places of the wanted channels by stream; empty for all.
    private var places: [StreamID: [Int]] = [:]
    private var streams: [StreamID: StreamDescription] = [:]

    init(_ history: OpenHistory, _ wanted: [StoreChannel], _ range: TimeRange) throws {
        for channel in wanted { places[channel.stream.id, default: []].append(channel.index) }
        for channel in wanted {
            let stream = channel.stream
            let quantities = (places[stream.id] ?? []).map { stream.quantities[$0] }
            streams[stream.id] = StreamDescription(
                id: stream.id,
                device: stream.device,
                quantities: quantities
            )
        }
        let places = places
        samples = try StoreSamples(
            history.reader,
            StoreWindow(times: history.times, range: range)
        ) { places.isEmpty || places[$0.id] != nil }
    }

    mutating func next() throws -> DatedSample? {
        guard let sample = try samples.next() else { return nil }
        guard let places = places[sample.stream.id], let stream = streams[sample.stream.id] else {
            return sample
        }
        return DatedSample(
            stream: stream,
            boot: sample.boot,
            tick: sample.tick,
            time: sample.wall.map { ClockAnchors.Time(wall: $0, isSure: sample.isSure) },
            outcomes: places.map { sample.outcomes[$0] }
        )
    }
}

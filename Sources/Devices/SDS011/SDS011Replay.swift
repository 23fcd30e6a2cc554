import Core
import HardwareIO

/// Plays a recording at an even pace, and answers commands as a part that is awake.
///
/// Its measurements come from the recording alone, whatever the report mode.
package struct SDS011Replay: SerialPeer {
    private let recording: SDS011Recording
    private let interval: Duration
    /// Time from the host's first byte to the first piece, in which the host configures the part.
    static let startDelay = Duration.seconds(1)
    private var part: SDS011Simulator
    private var nextIndex = 0
    private var nextPiece: MonotonicInstant?

    /// Bytes the host sent meanwhile.
    package private(set) var heardByteCount = 0

    /// A replay that begins at an instant, or when the host has been heard.
    ///
    /// - Parameters:
    ///   - recording: Played once.
    ///   - interval: From one piece to the next, > 0.
    ///   - start: When the first piece leaves; nil is `startDelay` after the host's first byte.
    package init(
        _ recording: SDS011Recording,
        every interval: Duration = .seconds(1),
        startingAt start: MonotonicInstant? = nil,
        poweredAt now: MonotonicInstant = .boot
    ) {
        precondition(interval > .zero, "a pace is longer than nothing")
        self.recording = recording
        self.interval = interval
        nextPiece = start
        var memory = SDS011Simulator.Memory()
        if let id = recording.deviceID { memory.deviceID = id }
        part = SDS011Simulator(memory: memory, poweredAt: now)
    }

    /// Whether everything has been sent.
    var isFinished: Bool { nextIndex == recording.pieces.count }

    package var nextActivity: MonotonicInstant? { isFinished ? nil : nextPiece }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        nextPiece = nextPiece ?? now.advanced(by: Self.startDelay)
        heardByteCount += bytes.count
        // Its own measurements would mix with the recording.
        let replies = SDS011Recording.replies(in: part.receive(bytes, at: now))
        return replies + advance(to: now)
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var output: [UInt8] = []
        while !isFinished, let due = nextPiece, due <= now {
            output += recording.pieces[nextIndex]
            nextIndex += 1
            nextPiece = due.advanced(by: interval)
        }
        return output
    }
}

extension SDS011Recording {
    /// Device that sent the first measurement in it.
    fileprivate var deviceID: SDS011DeviceID? {
        var decoder = SDS011Decoder()
        for case .success(.measurement(_, let id)) in decoder.decode(pieces.flatMap(\.self)) {
            return id
        }
        return nil
    }

    /// The frames of a part's output that are replies, not measurements.
    fileprivate static func replies(in output: [UInt8]) -> [UInt8] {
        let frames = stride(from: 0, to: output.count, by: 10).map {
            output[$0..<min($0 + 10, output.count)]
        }
        return frames.filter { $0.dropFirst().first == 0xC5 }.flatMap(\.self)
    }
}

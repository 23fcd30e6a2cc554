import CCapture
import ControlProtocol
import Core
import Glibc
import LinuxIO

/// The program and the connections of the live picture, which its thread owns.
///
/// The thread calls `wait`, `hear` and `read` in turn. Bound: `followerMax` connections; a further
/// one is closed at once.
struct LiveConnections: ~Copyable {
    private static let followerMax = 4
    private static let pieceBytes = 256 << 10
    /// Milliseconds from the end of a program's output to its exit, at most.
    private static let endMilliseconds: Int32 = 500

    /// The result of one read of the program's output.
    enum Heard {
        /// No whole frame, or only frames that were dropped.
        case nothing
        /// At least one frame; the covered one that was wanted, where it could be covered.
        case frames(wanted: [UInt8]?)
        case ended(String)
    }

    private let period: Duration
    private var covered: CoveredFrames
    private var followers: [LiveFollower] = []
    private var program: GuardedProgram?
    private var name = ""
    private var splitter = JPEGSplitter(byteMax: LivePictureMessage.frameMax)
    private var isOutputReadable = false
    private var due = MonotonicInstant.boot
    private var piece = [UInt8](repeating: 0, count: pieceBytes)

    /// - Parameters:
    ///   - frames: Frames per second that each connection gets, at most.
    ///   - cover: Parts of each frame that are black.
    init(frames: Int, _ cover: PictureCover) {
        (period, covered) = (.seconds(1) / frames, CoveredFrames(cover))
    }

    /// Number of connections that get pictures.
    var followerCount: Int { followers.count { !$0.isEnding } }

    /// Takes over a connection, which it closes in the end.
    mutating func add(_ descriptor: Int32) {
        guard followers.count < Self.followerMax else {
            Glibc.close(descriptor)
            return
        }
        followers.append(LiveFollower(descriptor))
    }

    mutating func start(_ command: [String], _ mark: CaptureMark?) throws(CaptureError) {
        let started = try CaptureError.starting(command, mark)
        // A whole frame at a time.
        ccapture_stream(started.output, Int32(Self.pieceBytes))
        (program, name) = (started, command[0])
        splitter = JPEGSplitter(byteMax: LivePictureMessage.frameMax)
        due = .boot
        covered.restart()
    }

    /// Ends the program.
    ///
    /// - Parameter waits: Whether to wait up to 500 ms for its own exit before it is killed.
    /// - Returns: Its exit code; 0 when no program runs.
    mutating func stop(waits: Bool = false) -> Int32 {
        guard let program else { return 0 }
        self.program = nil
        if waits {
            let watch = program.watch()
            var set = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
            _ = poll(&set, 1, Self.endMilliseconds)
            if watch >= 0 { Glibc.close(watch) }
        }
        return program.end()
    }

    private static func text(_ name: String, _ code: Int32) -> String {
        if name == CameraSettings.program, let trouble = CameraTrouble(exitCode: code) {
            return "\(trouble)"
        }
        return code == 127
            ? "\(name) cannot be started; is it installed?"
            : "\(name) ended with exit code \(code); see journalctl -u roost-eyes"
    }

    mutating func close() {
        _ = stop()
        for follower in followers { Glibc.close(follower.descriptor) }
        followers = []
    }

    /// Waits for a new connection, the bell, output, a message of a follower, or the instant.
    mutating func wait(
        _ listener: Int32,
        _ bell: Int32,
        until next: MonotonicInstant?,
        _ now: MonotonicInstant
    ) {
        var sets = [listener, bell].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        sets.append(pollfd(fd: program?.output ?? -1, events: Int16(POLLIN), revents: 0))
        sets += followers.map { follower in
            let events = follower.isWaiting ? POLLIN | POLLOUT : POLLIN
            return pollfd(fd: follower.descriptor, events: Int16(events), revents: 0)
        }
        // Rounded up, so that the instant has come.
        var milliseconds = next.map { now.duration(to: $0).wholeNanoseconds / 1_000_000 + 1 } ?? -1
        if followers.contains(where: \.isGone) {
            milliseconds = 0
        } else if followers.contains(where: \.isEnding) {
            milliseconds = milliseconds < 0 ? 1_000 : min(milliseconds, 1_000)
        }
        _ = poll(&sets, nfds_t(sets.count), Int32(clamping: milliseconds))
        isOutputReadable = sets[2].revents != 0
    }

    /// Sends the unsent rests of messages, and removes closed connections.
    mutating func hear(at now: MonotonicInstant) {
        for index in followers.indices {
            followers[index].listen()
            if followers[index].isWaiting { followers[index].flush(at: now) }
        }
        for follower in followers where follower.isGone { Glibc.close(follower.descriptor) }
        followers.removeAll(where: \.isGone)
    }

    /// Reads the program's output, once, and sends the frames that are due.
    ///
    /// Only a frame that is due or wanted is covered, as that costs time; all others go nowhere.
    ///
    /// - Parameter isWanted: Whether the picture of a motion waits for a frame.
    mutating func read(isWanted: Bool, at now: MonotonicInstant) -> Heard {
        guard isOutputReadable, let program else { return .nothing }
        let count = Glibc.read(program.output, &piece, piece.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
        guard count > 0 else {
            return .ended(Self.text(name, stop(waits: true)))
        }
        let frames = splitter.append(piece[..<count])
        guard splitter.tooLargeCount == 0 else {
            return .ended("a picture has more than \(LivePictureMessage.frameMax >> 20) MiB")
        }
        var (isAny, wanted) = (false, [UInt8]?.none)
        for (index, frame) in frames.enumerated() {
            let isDue = now >= due.advanced(by: .zero - period / 2)
            guard isDue || isWanted && index == frames.count - 1 else {
                isAny = true
                continue
            }
            switch covered.next(frame) {
            case .dropped: break
            case .ended(let why): return .ended(why)
            case .frame(let frame):
                isAny = true
                if isWanted { wanted = frame }
                guard isDue else { continue }
                do { try send(frame, at: now) } catch { return .ended("\(error)") }
            }
        }
        return isAny ? .frames(wanted: wanted) : .nothing
    }

    /// Sends a covered frame to all followers.
    private mutating func send(_ frame: [UInt8], at now: MonotonicInstant) throws {
        let message = try LivePictureMessage.frame(frame).encoded()
        due = max(due, now).advanced(by: period)
        for index in followers.indices { followers[index].offer(message, at: now) }
    }

    /// Sends the reason to all followers, and closes each connection once it is sent.
    mutating func refuse(_ report: LivePictureReport, at now: MonotonicInstant) {
        guard let message = try? LivePictureMessage.state(report).encoded() else { return }
        for index in followers.indices { followers[index].end(with: message, at: now) }
    }
}

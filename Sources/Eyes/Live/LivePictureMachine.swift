import ControlProtocol
import Core

/// Decides when the program of the live picture runs.
///
/// Pure. The program starts with the first follower and stops with the last. It never runs while a
/// bound is reached or in a masked time, and does not start while a motion's picture is taken.
struct LivePictureMachine: Sendable {
    /// Pause between a program's end and its next start, for the camera.
    static let pause: Duration = .seconds(1)
    /// Time without a picture after which a running program is ended.
    static let silenceMax: Duration = .seconds(5)
    /// Interval of checks of the bounds while there are followers.
    static let look: Duration = .seconds(1)
    /// Longest wait for a picture of a motion that uses the camera.
    static let patience: Duration = .seconds(60)

    enum Phase: Hashable, Sendable {
        case idle
        /// Waiting for the camera since this instant.
        case waiting(MonotonicInstant)
        case starting(until: MonotonicInstant)
        case running(until: MonotonicInstant)
    }

    enum Action: Hashable, Sendable {
        case start
        case stop
        /// Sends the reason to all followers and closes their connections.
        case refuse(LivePictureReport)
    }

    /// The inputs of a step.
    struct Facts: Hashable, Sendable {
        var followerCount: Int
        /// Refusal by a bound or a mask; nil when neither applies.
        var refusal: LivePictureReport?
        var isCameraFree: Bool

        init(
            followerCount: Int,
            refusal: LivePictureReport? = nil,
            isCameraFree: Bool = true
        ) {
            (self.followerCount, self.refusal) = (followerCount, refusal)
            self.isCameraFree = isCameraFree
        }
    }

    private(set) var phase = Phase.idle
    /// Error of the last try; nil once a try gave a picture.
    private(set) var trouble: String?
    private var restsUntil = MonotonicInstant.boot
    private let limit: Duration

    /// - Parameter limit: Longest time from the program's start to its first picture.
    init(limit: Duration) { self.limit = limit }

    var isProgramUp: Bool {
        switch phase {
        case .idle, .waiting: false
        case .starting, .running: true
        }
    }

    /// Returns when `step` has to be called again, if nothing happens before; nil for never.
    func nextLook(after now: MonotonicInstant) -> MonotonicInstant? {
        let soon = now.advanced(by: Self.look)
        switch phase {
        case .idle: return nil
        case .waiting: return restsUntil > now ? min(restsUntil, soon) : soon
        case .starting(let end), .running(let end): return min(end, soon)
        }
    }

    /// Decides the next actions; the caller performs them in their order.
    mutating func step(_ facts: Facts, at now: MonotonicInstant) -> [Action] {
        guard facts.followerCount > 0 else { return stop(at: now) }
        if let refusal = facts.refusal { return stop(at: now) + [.refuse(refusal)] }
        if phase == .idle { phase = .waiting(now) }
        switch phase {
        case .waiting(let since):
            guard facts.isCameraFree, now >= restsUntil else {
                guard now < since.advanced(by: Self.patience) else {
                    return fail("a picture of a motion holds the camera", at: now)
                }
                return []
            }
            phase = .starting(until: now.advanced(by: limit))
            return [.start]
        case .starting(let end) where now >= end:
            return fail("no picture within \(limit)", at: now)
        case .running(let end) where now >= end:
            return fail("no picture for \(Self.silenceMax)", at: now)
        case .idle, .starting, .running: return []
        }
    }

    /// Records that a picture came.
    mutating func frame(at now: MonotonicInstant) {
        guard isProgramUp else { return }
        trouble = nil
        phase = .running(until: now.advanced(by: Self.silenceMax))
    }

    /// Records that the program ended by itself, could not be started or sends no pictures.
    mutating func fail(_ why: String, at now: MonotonicInstant) -> [Action] {
        trouble = why
        return stop(at: now) + [.refuse(LivePictureReport(.gone, why: why))]
    }

    private mutating func stop(at now: MonotonicInstant) -> [Action] {
        let wasUp = isProgramUp
        phase = .idle
        guard wasUp else { return [] }
        restsUntil = now.advanced(by: Self.pause)
        return [.stop]
    }

    /// The state of the picture, for clients.
    func report(_ refusal: LivePictureReport?) -> LivePictureReport {
        switch phase {
        case .running: LivePictureReport(.running)
        case .starting, .waiting: LivePictureReport(.starting)
        case .idle:
            refusal ?? trouble.map { LivePictureReport(.gone, why: $0) }
                ?? LivePictureReport(.ready)
        }
    }
}

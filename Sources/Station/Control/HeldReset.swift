import Core
import Devices
import Synchronization

/// A reset that a person asks for by holding a button, and what the station's lamp shows of it.
///
/// The station has no right to remove what is of its owner: it asks the service of the image that
/// does it for the page, too. What was measured stays.
final class HeldReset: Sendable {
    private let recorder: Recorder
    private let platform: any Platform
    /// Time for the service to begin: a steady lamp after it would hide what the station has.
    static let patience = Duration.minutes(2)

    private struct Shown {
        let pattern: LEDPattern
        var end: MonotonicInstant?
    }

    private let shown = Mutex<Shown?>(nil)

    init(_ recorder: Recorder, _ platform: any Platform) {
        (self.recorder, self.platform) = (recorder, platform)
    }

    /// The lamp's pattern: it blinks while a button is held, and is steady once the reset is asked
    /// for; nil for neither, and where nothing came of it.
    var pattern: LEDPattern? {
        guard let shown = shown.withLock({ $0 }) else { return nil }
        return shown.end.map { platform.clock.now >= $0 } == true ? nil : shown.pattern
    }

    /// A button is held, or was let go.
    func apply(_ hold: ButtonHold, by device: String) async {
        switch hold {
        case .claim: break
        case .resetNear: shown.withLock { $0 = Shown(pattern: .blinking) }
        case .resetLeft: shown.withLock { $0 = nil }
        case .reset: await ask(by: device)
        }
    }

    private func ask(by device: String) async {
        let platform = platform
        do {
            try await platform.onDisk { try platform.requestReset() }
            let end = platform.clock.now.advanced(by: Self.patience)
            shown.withLock { $0 = Shown(pattern: .on, end: end) }
            record(.resetAsked, .warning, ["device": device])
        } catch {
            shown.withLock { $0 = nil }
            record(.resetRefused, .error, ["device": device, "reason": "\(error)"])
        }
    }

    private func record(
        _ kind: EventKind.Plain,
        _ severity: Event.Severity,
        _ details: KeyValuePairs<String, String>
    ) {
        let now = platform.clock.now
        recorder.recordSoon(
            Event(at: now, source: "control", kind: .plain(kind), severity: severity, details)
        )
    }
}

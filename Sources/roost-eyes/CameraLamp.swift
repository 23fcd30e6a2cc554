import Camera
import ControlProtocol
import Core
import Eyes

/// Keeps the station's lamps informed of whether the camera is read.
///
/// Each announcement expires, so that no lamp shows "off" after this process was killed, and none
/// stays lit.
struct CameraLamp: Sendable {
    /// Time for which the camera is announced as on; repeated while it is.
    private static let lease: Duration = .seconds(30)
    private static let renewal: Duration = .seconds(10)
    /// Time that this process waits for the station when it ends.
    private static let patience: Duration = .milliseconds(300)

    let use: CameraUse
    let station: SocketClient

    /// Runs until cancelled.
    func run() async throws {
        let clock = station.clock
        // Announced also after a start: the process before may have been killed with the lamp lit.
        var isSaid: Bool?
        while !Task.isCancelled {
            let isOn = use.isOn
            if isOn || isSaid != isOn {
                let hasAnswered = try await say(isOn)
                isSaid = hasAnswered ? isOn : nil
            }
            let isDue = isOn || isSaid == nil
            _ = try await clock.wait(
                for: use.hasChanged,
                until: isDue ? clock.now.advanced(by: Self.renewal) : nil,
                tolerance: .seconds(1)
            )
        }
    }

    /// Announces at the end of the process that the camera is off, unless the station is slow.
    func putOut() async {
        guard use.isOn else { return }
        do {
            let clock = station.clock
            _ = try await clock.run {
                try await say(false)
            } unless: {
                try await clock.sleep(for: Self.patience)
            }
        } catch {
            // The lamp flashes after its time.
        }
    }

    /// - Returns: Whether the station took it; while it does not answer its lamps show that.
    private func say(_ isOn: Bool) async throws -> Bool {
        do {
            _ = try await station.ask(AnnounceCamera(for: isOn ? Self.lease : .zero))
            return true
        } catch let error where !(error is CancellationError) { return false }
    }
}

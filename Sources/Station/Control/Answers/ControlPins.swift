import Configuration
import ControlProtocol
import HardwareIO

/// Answers `pins`.
struct ControlPins: Sendable {
    let station: StationState

    /// The header as it is now.
    ///
    /// - Throws: `CancellationError`.
    func table() async throws -> PinTable {
        let platform = station.context.platform
        let chips = try await platform.onDisk { platform.gpioChips() }
        let configuration = station.configuration
        return PinTable(
            chips: chips,
            board: configuration.board,
            used: configuration.usedLines
        )
    }
}

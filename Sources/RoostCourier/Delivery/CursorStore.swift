import Core

/// Store of the targets' cursors across restarts: the station's.
package protocol CursorStore: Sendable {
    /// - Returns: The newest bytes of a target; nil when there are none.
    /// - Throws: Errors of asking the station.
    func cursor(of target: String) async throws -> [UInt8]?

    /// Sends new bytes to the store; at most `OutboxCursor.byteLimit`.
    ///
    /// A station that does not answer gets the newest bytes later.
    func keep(_ bytes: [UInt8], of target: String) async

    /// Sends new bytes to the store, which writes them within two seconds where `isUrgent`.
    func keep(_ bytes: [UInt8], of target: String, isUrgent: Bool) async

    /// Sends bytes that cannot be read once, under the name `TARGET.lost`, where there is room.
    ///
    /// - Throws: Errors of asking the station.
    func keepLost(_ bytes: [UInt8], of target: String) async throws

    /// Sends new bytes, and waits until no loss of power leaves samples without them.
    ///
    /// - Parameters:
    ///   - tick: Tick of the oldest sample in the present boot: where none of the samples is on
    ///     the card before these bytes, nothing has to be written. nil: they may be on it.
    /// - Returns: Why that is not sure, for people; nil when it is.
    /// - Throws: `CancellationError`.
    func makeDurable(
        _ bytes: [UInt8],
        of target: String,
        before tick: Tick?
    ) async throws -> String?
}

extension CursorStore {
    package func keep(_ bytes: [UInt8], of target: String, isUrgent: Bool) async {
        await keep(bytes, of: target)
    }

    package func keepLost(_ bytes: [UInt8], of target: String) async throws {
        // No id has a dot.
        await keep(bytes, of: "\(target).lost")
    }
}

import Core

/// Facts about a device that alerts depend on, besides its channels' values.
struct AlertDevice: Sendable {
    /// No alert for an adapter that is plugged in again within this time, nor for a part that
    /// begins to warm up by itself.
    private static let patience = 300

    /// How often it measures, in seconds.
    var interval: Int?
    /// How long it runs before a value counts, in seconds.
    var warmUp = 0
    var expectedSince: Int
    var unpluggedSince: Int?
    var channels: [Channel] = []

    init(expectedSince: Int) { self.expectedSince = expectedSince }

    /// Second from which a channel without values counts as silent.
    ///
    /// - Parameters:
    ///   - patience: Seconds from its last sign, where nothing explains the silence.
    /// - Returns: A time; later where its adapter may come back, or its part may become warm.
    func silenceEnd(of memory: ChannelMemory, patience: Int) -> Int {
        let since = max(memory.lastSignAt ?? expectedSince, expectedSince)
        guard let explained = unpluggedSince ?? memory.warmingSince else { return since + patience }
        return max(since + patience, explained + warmUp + Self.patience)
    }
}

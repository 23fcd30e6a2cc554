import Core

/// Facts about a device that alerts depend on, besides its channels' values.
struct AlertDevice: Sendable {
    /// Seconds of silence that an unplugged adapter or a warm-up explains, besides `warmUp`.
    ///
    /// An adapter that is plugged in again within this time raises no alert.
    private static let patience = 300

    /// How often it measures, in seconds.
    var interval: Int?
    /// How long it runs before a value counts, in seconds.
    var warmUp = 0
    /// Second from which samples of it are expected.
    var expectedSince: Int
    /// Second in which its adapter was unplugged; nil once it has a value again.
    var unpluggedSince: Int?
    var channels: [Channel] = []

    init(expectedSince: Int) { self.expectedSince = expectedSince }

    /// Second from which a channel without values counts as silent.
    ///
    /// - Parameters:
    ///   - patience: Seconds of silence that need no explanation.
    /// - Returns: That second; at least `warmUp` + 300 s after an unplugging or a warm-up began.
    func silenceEnd(of memory: ChannelMemory, patience: Int) -> Int {
        let since = max(memory.lastSignAt ?? expectedSince, expectedSince)
        guard let explained = unpluggedSince ?? memory.warmingSince else { return since + patience }
        return max(since + patience, explained + warmUp + Self.patience)
    }
}

import Testing

@testable import ControlProtocol

@Suite struct StatusSizeTests {
    /// Returns as many channels as the station keeps in memory, each with every field set.
    private static func channels(_ count: Int) -> [ChannelReport] {
        (0..<count).map { index in
            let name = String(repeating: "d", count: 60) + "-\(index)/temperature"
            var channel = ChannelReport(
                channel: name,
                unit: "µg/m³",
                latest: ReadingReport(
                    channel: name,
                    instantSeconds: 31_536_000.123,
                    ageSeconds: 86_400.123,
                    outcome: (Measured(-12_345.678, decimals: 3), nil),
                    unit: "µg/m³",
                    quality: ["ceiling", "inconsistent", "unchanging", "outOfRange", "humid"]
                ),
                valueAgeSeconds: 86_400.123,
                isStale: true
            )
            channel.ageLimitSeconds = 10_800
            channel.intervalSeconds = 3_600
            channel.level = "moderate"
            channel.facts = ChannelFacts(
                decimals: 3,
                profile: String(repeating: "p", count: 64),
                range: -99_999...99_999
            )
            channel.progress = ProgressReport(
                phase: "measuring",
                endsInSeconds: 3_599.123,
                nextInSeconds: 3_599.123
            )
            channel.records = true
            return channel
        }
    }

    /// An answer may be longer than a request, up to the limit of station and clients.
    @Test func theStatusOf128ChannelsIsAnAnswerOfItsSocket() throws {
        let bytes = try ControlCodec.line(Self.channels(128)).utf8.count
        #expect(bytes > 64 * 1_024)
        #expect(bytes < 192 * 1_024)
    }
}

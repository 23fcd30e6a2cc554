import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct ControlPagesTests {
    private static let text = """
        {"name": "test", "mode": "live",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}]}
        """

    /// Every page of an answer, and the longest line that carried one.
    private static func pages(
        _ test: TestStation,
        limit: Int? = nil
    ) async throws -> (readings: [ReadingReport], omitted: Int, longestLine: Int) {
        let connection = test.platform.socket.connect()
        defer { connection.close() }
        var (readings, omitted, longest) = ([ReadingReport](), 0, 0)
        var from: String?
        repeat {
            let question = GetReadings(limit: limit, from: from)
            try connection.send(ControlCodec.line(AskedQuestion(question)))
            let line = try #require(await connection.nextLine())
            longest = max(longest, line.utf8.count)
            let answer = try ControlCodec.message(ControlAnswer<ReadingsReport>.self, from: line)
            let page = try #require(answer.body)
            readings += page.readings
            omitted += page.omittedCount
            from = page.next
        } while from != nil
        return (readings, omitted, longest)
    }

    @Test func aLongHistoryComesWholeInShortLines() throws {
        let (all, some, kept) = try simulate { clock in
            let test = try TestStation(clock, Self.text, air: .drifting(seed: 2))
            return try await test.run { test in
                try await test.sleep(.hours(1))
                let all = try await Self.pages(test)
                let some = try await Self.pages(test, limit: 501)
                return (all, some, test.station.context.recorder.readings(since: .boot).count)
            }
        }
        #expect(kept > 7_000)
        #expect(all.readings.count == kept && all.omitted == 0)
        let instants = all.readings.map(\.instantSeconds)
        #expect(instants == instants.sorted())
        #expect(all.longestLine < 64 * 1_024)
        #expect(some.readings.count == 501 && some.omitted == kept - 501)
        #expect(some.readings.map(\.instantSeconds) == instants.suffix(501))
    }

    @Test(arguments: ["x", "1:", "1:2:3", "1:2,,x"])
    func refusesACursorThatIsNone(cursor: String) throws {
        let failure = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            return try await test.run { test in
                try await test.ask(GetReadings(from: cursor)).error
            }
        }
        #expect(failure?.code == .badRequest)
    }
}

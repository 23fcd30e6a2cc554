import Core
import Logging
import StoreFixtures
import Testing

@testable import RoostWeb
@testable import Store
@testable import StoreQueries

@Suite struct HistorySummaryTests {
    private typealias Boot = QueryFixture.Boot

    /// In 330 min, 20 min have no cause, and 30 min were a power cut.
    @Test func saysHowMuchOfTheRecordIsCoveredAndAccountedFor() async throws {
        let fixture = try QueryFixture([
            Boot(started: "2026-04-14T00:00:00Z", minutes: 180, silent: [60..<80]),
            Boot(started: "2026-04-14T03:30:00Z", minutes: 120),
        ]) { $0 / 60 % 50 }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let history = HistoryClient(nil, folder: fixture.path, logger: logger)
        let summary = HistorySummary(history)
        let complete = try #require(await summary.latest().complete)
        #expect(abs(complete.covered - 280.0 / 330) < 0.01)
        #expect(abs(complete.accounted - 310.0 / 330) < 0.01)
        #expect(complete.since?.hasPrefix("2026-04-14T00:0") == true)
        #expect(HistorySummary.pause(after: complete) == 600)
        // The second answer comes from the cache.
        #expect(await summary.latest().complete == complete)
    }

    /// The sensor of now has values for two of three hours, a forgotten one for the first.
    @Test func speaksOfTheSensorInUse() async throws {
        let fixture = try QueryFixture([QueryFixture.boot(followedFrom: "2026-04-14T00:00:00Z")])
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let history = HistoryClient(nil, folder: fixture.path, logger: logger)
        let complete = try #require(await HistorySummary(history).latest().complete)
        #expect(abs(complete.covered - 2.0 / 3) < 0.02)
    }

    /// Shares renewed only every ten minutes would be those of a young record's warm-up.
    @Test func ofAYoungRecordTheSharesAreRenewedSoon() async throws {
        let boot = Boot(started: "2026-04-14T00:00:00Z", minutes: 20, silent: [])
        let fixture = try QueryFixture([boot]) { $0 }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let history = HistoryClient(nil, folder: fixture.path, logger: logger)
        let complete = try #require(await HistorySummary(history).latest().complete)
        #expect(HistorySummary.pause(after: complete) < 130)
        #expect(HistorySummary.pause(after: nil) == 60)
    }

    @Test func aFolderWithoutAHistorySaysWhy() async {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let client = HistoryClient(nil, folder: "/nonexistent", logger: logger)
        let found = await HistorySummary(client).latest()
        #expect(found.complete == nil)
        #expect(found.trouble != nil)
    }
}

import Alerts
import Core
import HTTPTypes
import Logging
import Store
import StoreFixtures
import StoreQueries
import Testing

@testable import RoostWeb

@Suite struct RulePreviewTests {
    private static func stage(_ fixture: QueryFixture) -> RouteStage {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let client = HistoryClient(nil, folder: fixture.path, logger: logger)
        return RouteStage(HistoryRoutes(client, nil, name: "balcony").all, as: .owner)
    }

    private static func ask(_ stage: RouteStage, _ rule: String) async -> WebResponse {
        let headers: HTTPFields = [.contentType: "application/json"]
        return await stage.ask("/api/v1/rules/preview", .post, headers, body: rule)
    }

    private static func preview(_ stage: RouteStage, _ rule: String) async throws -> RulePreview {
        let answer = await ask(stage, rule)
        #expect(answer.status == .ok)
        return try JSONBody.decoded(RulePreview.self, from: try await RouteStage.bytes(answer))
    }

    /// Nine boots of three hours, each bad in its last half hour.
    private static func fixture() throws -> QueryFixture {
        let hours = "14T00 14T03 14T06 14T09 14T12 14T15 14T18 14T21 15T00".split(separator: " ")
        let starts = hours.map { "2026-04-\($0):00:00Z" }
        return try QueryFixture(starts.map { .init(started: $0, minutes: 180) }) {
            $0 < 9_000 ? 100 : 600
        }
    }

    @Test func aRuleIsTriedAsTheCommandReplaysIt() async throws {
        let fixture = try Self.fixture()
        let found = try await Self.preview(
            Self.stage(fixture),
            #"{"channel": "dust/pm25", "when": {"value": {"atLeast": 50}}, "forSeconds": 600}"#
        )
        let scale = AlertScale([.init(50, until: 45, .warning)])
        let rule = AlertRule("r", [.init("dust/pm25", .value(scale))], for: 600)
        var replay = AlertReplay([rule])
        var samples = try StoreSamples(fixture.reader, fixture.times)
        while let sample = try samples.next() {
            if let second = sample.second { replay.append(sample.readings, at: second) }
        }
        let row = try #require(replay.rows.first)
        #expect(row.episodes == 9)
        #expect(found.episodeCount == row.episodes && found.raisedSeconds == row.raisedSeconds)
        #expect(found.medianSeconds == row.medianSeconds)
        #expect(found.days == 30 && (2...3).contains(found.dataDayCount))
        #expect(found.episodes.count == 5)
        #expect(found.episodes.last?.time == "2026-04-15T02:40:00Z")
    }

    @Test func aPastWithoutSuchValuesIsSaid() async throws {
        let fixture = try Self.fixture()
        let found = try await Self.preview(
            Self.stage(fixture),
            #"{"channel": "*/co2", "when": {"value": {"atLeast": 50}}}"#
        )
        #expect(found.dataDayCount == 0 && found.episodeCount == 0 && found.episodes.isEmpty)
    }

    @Test(arguments: [
        (#"{"channel": "*/co2", "when": {"value": {"atLeast": "x"}}}"#, "/when/value/atLeast"),
        (#"{"when": {"silent": {}}}"#, "/when"), (#"{"isOn": false}"#, "/when"),
    ])
    func aRuleThatCannotBeTriedIsNamed(_ rule: String, pointer: String) async throws {
        let fixture = try Self.fixture()
        let answer = await Self.ask(Self.stage(fixture), rule)
        #expect(answer.status == .badRequest)
        let bytes = try await RouteStage.bytes(answer)
        let problem = try JSONBody.decoded(ProblemView.self, from: bytes)
        #expect(problem.errors?.map(\.pointer) == [pointer])
    }
}

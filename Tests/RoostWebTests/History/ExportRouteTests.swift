import Core
import HTTPTypes
import StoreFixtures
import Testing

@testable import RoostWeb
@testable import StoreQueries

@Suite struct ExportRouteTests {
    private static func stage(
        _ boots: [QueryFixture.Boot] = [
            QueryFixture.Boot(started: "2026-04-14T00:00:00Z", minutes: 180)
        ]
    ) throws -> (stage: RouteStage, fixture: QueryFixture) {
        let fixture = try QueryFixture(boots) { $0 / 60 }
        let client = HistoryClient(nil, folder: fixture.path, logger: RouteStage.logger)
        return (RouteStage(HistoryRoutes(client, nil, name: "balcony").all), fixture)
    }

    private static func range(_ field: String, if tag: String? = nil) -> HTTPFields {
        var headers: HTTPFields = [.range: field]
        headers[.ifRange] = tag
        return headers
    }

    /// Each requested part equals that part of the whole.
    @Test(arguments: [
        "bytes=0-0", "bytes=100-999", "bytes=5000-", "bytes=-100", "bytes=0-9999999", "bytes=1-1",
    ])
    func aRangeIsAPartOfTheWhole(field: String) async throws {
        let (stage, fixture) = try Self.stage()
        defer { withExtendedLifetime(fixture) {} }
        let target = "/api/v1/export?format=csv&channel=dust/pm25"
        let first = await stage.ask(target)
        let tag = try #require(first.headers[.eTag])
        let whole = try await RouteStage.bytes(first)
        let part = await stage.ask(target, .get, Self.range(field, if: tag))
        #expect(part.status == .partialContent)
        let places = try #require(ByteRange(field)?.places(in: whole.count))
        #expect(
            part.headers[.contentRange]
                == "bytes \(places.lowerBound)-\(places.upperBound - 1)/\(whole.count)"
        )
        #expect(part.headers[.contentLength] == "\(places.count)")
        #expect(try await RouteStage.bytes(part) == Array(whole[places]))
        #expect(part.headers[.eTag] == tag)
    }

    @Test func anotherTagGetsTheWhole() async throws {
        let (stage, fixture) = try Self.stage()
        defer { withExtendedLifetime(fixture) {} }
        let headers = Self.range("bytes=100-", if: "\"1.2.3\"")
        let answer = await stage.ask("/api/v1/export", .get, headers)
        #expect(answer.status == .ok)
        let beyond = await stage.ask("/api/v1/export", .get, Self.range("bytes=9999999-"))
        #expect(beyond.status == .rangeNotSatisfiable)
        #expect(beyond.headers[.contentRange]?.hasPrefix("bytes */") == true)
    }

    @Test func theSameExportIsNotSentTwice() async throws {
        let (stage, fixture) = try Self.stage()
        defer { withExtendedLifetime(fixture) {} }
        let tag = try #require(await stage.ask("/api/v1/export").headers[.eTag])
        let again = await stage.ask("/api/v1/export", .get, [.ifNoneMatch: tag])
        #expect(again.status == .notModified)
        let other = await stage.ask("/api/v1/export?format=json", .get, [.ifNoneMatch: tag])
        #expect(other.status == .ok)
    }

    /// Samples measured since then are not in the rest of an export.
    @Test(arguments: ["", "?last=2h", "?from=2026-04-14T01:00:00Z"])
    func anExportEndsWhereItBeganTo(query: String) async throws {
        let boot = QueryFixture.Boot(started: "2026-04-14T00:00:00Z", minutes: 180)
        var longer = boot
        longer.minutes = 240
        let (before, first) = try Self.stage([boot])
        let (after, second) = try Self.stage([longer])
        defer { withExtendedLifetime((first, second)) {} }
        let answer = await before.ask("/api/v1/export" + query)
        let tag = try #require(answer.headers[.eTag])
        let whole = try await RouteStage.bytes(answer)
        let rest = await after.ask(
            "/api/v1/export" + query,
            .get,
            Self.range("bytes=500-", if: tag)
        )
        #expect(rest.status == .partialContent)
        #expect(try await RouteStage.bytes(rest) == Array(whole[500...]))
        // Without the tag it is a new export.
        #expect(await after.ask("/api/v1/export" + query).headers[.eTag] != tag)
    }

    @Test func leavesOutFlagsButNotOtherChannels() async throws {
        let (stage, fixture) = try Self.stage()
        defer { withExtendedLifetime(fixture) {} }
        let all = try await RouteStage.text(await stage.ask("/api/v1/export"))
        let same = await stage.ask("/api/v1/export?without=humid,jump")
        #expect(try await RouteStage.text(same) == all)
        #expect(same.headers[.contentLocation]?.hasSuffix("without=humid&without=jump") == true)
        for query in ["without=wet", "survey=none", "survey=x&last=1h", "without="] {
            let answer = await stage.ask("/api/v1/export?" + query)
            let wanted: HTTPResponse.Status =
                query == "survey=none" ? .notFound : query == "without=" ? .ok : .badRequest
            #expect(answer.status == wanted, "\(query)")
        }
    }

    /// Who has read one may ask for the next at once, while the answer still exists.
    @Test(arguments: ["bytes=0-", "bytes=100-199", "none"])
    func anExportThatWasReadHasNoSeat(field: String) async throws {
        let (stage, fixture) = try Self.stage()
        var answers: [WebResponse] = []
        for _ in 0...HistoryClient.exportMax {
            let answer = await stage.ask("/api/v1/export", .get, Self.range(field))
            #expect(answer.status == (field == "none" ? .ok : .partialContent))
            #expect(try await !RouteStage.bytes(answer).isEmpty)
            answers.append(answer)
        }
        withExtendedLifetime((fixture, answers)) {}
    }

    /// A client knows a part's length, and so its end before the server is told of it.
    @Test func theEndOfAPartIsSentWithoutASeat() async throws {
        let (stage, fixture) = try Self.stage()
        defer { withExtendedLifetime(fixture) {} }
        let part = await stage.ask("/api/v1/export", .get, Self.range("bytes=100-199"))
        guard case .stream(let make) = part.body else {
            Issue.record("a part is no stream")
            return
        }
        try await make { _ in
            var others: [WebResponse] = []
            for _ in 0..<HistoryClient.exportMax {
                others.append(await stage.ask("/api/v1/export"))
            }
            #expect(others.map(\.status) == [.ok, .ok])
        }
    }

    @Test func aPersonHasOneSeatAndAllHaveTwo() throws {
        let seats = ExportLimiter(limit: 2)
        var anna = try? seats.reserve(1)
        #expect(throws: Problem.self) { _ = try seats.reserve(1) }
        let ben = try seats.reserve(2)
        #expect(throws: Problem.self) { _ = try seats.reserve(3) }
        withExtendedLifetime(anna) {}
        anna = nil
        let again = try seats.reserve(1)
        withExtendedLifetime((ben, again)) {}
    }

    @Test(arguments: [
        ("bytes=0-1", ByteRange.closed(0, 1)), ("bytes=5-", .from(5)), ("bytes=-7", .last(7)),
        ("Bytes=0- 9", .closed(0, 9)),
    ])
    func readsARange(field: String, range: ByteRange) { #expect(ByteRange(field) == range) }

    @Test(arguments: [
        "bytes=", "bytes=-", "bytes=-0", "bytes=2-1", "bytes=1-2,4-5", "items=0-1", "bytes", "",
        "bytes=+1-2", "bytes=1-99999999999999999999", "bytes=a-b", "bytes=1--2",
    ])
    func anythingElseIsNone(field: String) { #expect(ByteRange(field) == nil) }

    @Test(arguments: [
        ExportTag(content: 7, end: nil), ExportTag(content: .max, end: .wall(-5)),
        ExportTag(content: 0, end: .position(ExportTag.Position(boot: 3, tick: 1 << 40))),
    ])
    func aTagIsReadAsItWasWritten(tag: ExportTag) {
        #expect(ExportTag(tag.description) == tag)
        #expect(ExportTag("W/" + tag.description) == nil)
        #expect(ExportTag(tag.description + "x") == nil)
    }
}

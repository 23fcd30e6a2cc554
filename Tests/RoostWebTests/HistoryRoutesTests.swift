import ControlProtocol
import Core
import Glibc
import HTTPTypes
import Logging
import NIOPosix
import StoreFixtures
import TestSupport
import Testing

@testable import RoostWeb
@testable import StoreQueries

@Suite struct HistoryRoutesTests {
    private typealias Boot = QueryFixture.Boot

    /// A station of three hours, off for half an hour, and two hours more; silent for 20 min.
    private struct Site {
        let fixture: QueryFixture
        let responder: WebResponder

        init() throws {
            fixture = try QueryFixture([
                Boot(
                    started: "2026-04-14T00:00:00Z",
                    minutes: 180,
                    silent: [60..<80],
                    events: [(62, .sensorSilent, .warning), (80, .sensorBack, .info)]
                ),
                Boot(started: "2026-04-14T03:30:00Z", minutes: 120),
            ]) { $0 / 60 % 50 }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let client = HistoryClient(nil, folder: fixture.path, logger: logger)
            let routes = HistoryRoutes(client, nil, name: "balcony").all
            let gate = Gate(
                RouteTable(routes),
                hosts: HostNames(["balcony"]),
                authenticator: OpenAuthenticator(.viewer)
            )
            responder = WebResponder(gate, logger: logger)
        }

        func get(_ target: String, tag: String? = nil) async throws -> WebResponse {
            var headers: HTTPFields = [:]
            headers[.ifNoneMatch] = tag
            let head = Gate.Head(
                .get,
                authority: "localhost",
                target: "/api/v1/" + target,
                headers: headers
            )
            return await responder.answer(head) { _ in [] }
        }

        func text(_ target: String) async throws -> String {
            let response = try await get(target)
            #expect(response.status == .ok, "\(target)")
            return try await Self.text(response)
        }

        static func text(_ response: WebResponse) async throws -> String {
            switch response.body {
            case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
            case .stream(let make):
                let pieces = Pieces()
                try await make { await pieces.append($0) }
                return String(decoding: await pieces.all, as: UTF8.self)
            }
        }
    }

    private actor Pieces {
        private(set) var all: [UInt8] = []
        func append(_ bytes: [UInt8]) { all += bytes }
    }

    @Test func aSeriesComesInColumns() async throws {
        let text = try await Site().text(
            "series?channel=dust/pm25&from=2026-04-14T00:00:00Z&to=2026-04-14T00:10:00Z&points=10"
        )
        #expect(text.contains(#""from":"2026-04-14T00:00:00Z","to":"2026-04-14T00:10:00Z""#))
        #expect(text.contains(#""channel":"dust/pm25","unit":"µg/m³","decimals":1"#))
        #expect(text.contains(#""t":[1776124800,1776124920,"#))
        #expect(text.contains(#""mean":[0.05,0.25,0.45,"#))
        #expect(text.contains(#""covered":[1,1,1,"#))
    }

    private struct Written: Decodable { let series: [[String: JSONBody.Anything]] }

    /// It is written by hand: all keys are in the type that describes it, and none is missing.
    @Test func aSeriesIsAsItsType() async throws {
        let bytes = Array(try await Site().text("series?channel=dust/pm25&points=10").utf8)
        let view = try JSONBody.decoded(SeriesView.self, from: bytes)
        #expect(view.series.map(\.channel) == ["dust/pm25"])
        #expect(view.series[0].t.count == view.series[0].mean.count)
        let all = try JSONBody.decoded([String: JSONBody.Anything].self, from: bytes)
        #expect(try SchemaRecorder().fields(of: SeriesView.self) == Set(all.keys))
        let columns = try JSONBody.decoded(Written.self, from: bytes).series[0]
        #expect(try SchemaRecorder().fields(of: SeriesView.Columns.self) == Set(columns.keys))
    }

    @Test func theProofHasTheFiguresOfTheLedger() async throws {
        let site = try Site()
        let ledger = try await site.text("ledger?channel=dust/pm25")
        let proof = try await site.text("proof")
        for (first, end) in [("coveredSeconds", "from"), ("gaps", "isMerged")] {
            let figures = try #require(
                ledger.firstRange(of: "\"\(first)\"").flatMap { start in
                    ledger.firstRange(of: ",\"\(end)\"").map {
                        String(ledger[start.lowerBound..<$0.lowerBound])
                    }
                }
            )
            #expect(proof.contains(figures))
        }
        #expect(ledger.contains(#""isLoss":true,"name":"power lost""#))
        #expect(ledger.contains(#","unexplained"]"#))
        #expect(ledger.contains(#""isMerged":false"#))
        let both = try await site.text("ledger?channel=dust/pm25&channel=dust/pm10")
        #expect(both.hasPrefix(#"{"items":[{"channel":"dust/pm25","#))
    }

    @Test func aGapSaysWhyAndWhatToDo() async throws {
        let site = try Site()
        let text = try await site.text("gaps/dust/pm25/2026-04-14T01:10:00Z")
        #expect(text.contains(#""cause":"unexplained""#))
        #expect(text.contains(#""kind":"sensor not answering""#))
        #expect(text.contains(#""nextStep":"Report it"#))
        let none = try await site.get("gaps/dust/pm25/2026-04-14T00:10:00Z")
        #expect(none.status == .notFound)
        #expect(try await Site.text(none).contains("has values around"))
    }

    @Test(arguments: [
        ("2020-01-01T00:00:00Z", "begins at 2026-04-14T00:00"),
        ("2030-01-01T00:00:00Z", "ends at 2026-04-14T05:"),
    ])
    func outsideTheRecordNothingHasValues(time: String, words: String) async throws {
        let response = try await Site().get("gaps/dust/pm25/\(time)")
        #expect(response.status == .notFound)
        let text = try await Site.text(response)
        #expect(text.contains(words) && !text.contains("has values"), "\(text)")
    }

    @Test func eventsComeNewestFirstByPages() async throws {
        let site = try Site()
        let first = try await site.text("events?limit=1")
        #expect(first.contains(#""kind":"sensor answering again""#))
        let mark = try #require(first.firstRange(of: #""next":""#)).upperBound
        let next = first[mark...].prefix { $0 != "\"" }
        let second = try await site.text("events?limit=1&cursor=\(next)")
        #expect(second.contains(#""kind":"sensor not answering""#))
        #expect(!second.contains("next"))
    }

    @Test func meansAndReadingsAnswer() async throws {
        let site = try Site()
        let means = try await site.text("means?channel=dust/pm25&by=day&zone=UTC")
        #expect(means.contains(#""label":"2026-04-14""#) && means.contains(#""n":280"#))
        #expect(means.contains(#""averagingSeconds":86400"#))
        let weeks = try await site.text("means?channel=dust/pm25&by=week&zone=UTC")
        #expect(
            weeks.contains(
                #""from":"2026-04-13T00:00:00Z","label":"2026-W16""#
            )
        )
        let readings = try await site.text("readings?channel=dust/pm25&limit=2")
        #expect(readings.hasPrefix(#"{"channel":"dust/pm25","decimals":1,"items":[{"bootID":""#))
        #expect(readings.contains(#""quality":[],"time":"2026-04-14T00:0"#))
        #expect(readings.contains(#""value":0}"#) && readings.contains(#"}],"next":""#))
        #expect(try await site.text("channels").contains(#""oldest":"2026-04-14T00:00:00Z""#))
        #expect(try await site.text("explain/pm25").contains(#""rule":"who-2021""#))
    }

    @Test func theSameQuestionCostsNoBody() async throws {
        let site = try Site()
        let target = "series?channel=dust/pm25&last=1h"
        let first = try await site.get(target)
        let tag = try #require(first.headers[.eTag])
        #expect(try await site.get(target, tag: tag).status == .notModified)
        #expect(try await site.get("series?channel=dust/pm25&last=2h", tag: tag).status == .ok)
    }

    /// After an update the same history may have an answer of another form.
    @Test func anotherProgramHasAnotherTag() throws {
        let site = try Site()
        let folder = StoreFolder(path: site.fixture.path)
        let programs = try TestFolder(isInMemory: true)
        func tag(ofProgramMadeAt second: Int) throws -> String {
            let path = programs.path("roost-web")
            let file = open(path, O_CREAT | O_WRONLY, 0o755)
            defer { close(file) }
            let time = timespec(tv_sec: second, tv_nsec: 0)
            try #require(futimens(file, [time, time]) == 0)
            return OpenHistory.generation(of: folder, nil, program: path)
        }
        let tags = try [1, 2, 1].map { try tag(ofProgramMadeAt: $0) }
        #expect(tags[0] != tags[1] && tags[0] == tags[2])
        let own = try #require(realpath("/proc/self/exe", nil))
        defer { free(own) }
        let mine = OpenHistory.generation(of: folder, nil, program: String(cString: own))
        #expect(OpenHistory.generation(of: folder, nil) == mine)
    }

    @Test(arguments: ["csv", "ndjson", "json"])
    func anExportHasEachRowOnce(format: String) async throws {
        let site = try Site()
        let response = try await site.get("export?format=\(format)&channel=dust/pm25")
        let text = try await Site.text(response)
        #expect(text.split(separator: "\n").filter { $0.contains("pm25") }.count == 280)
        #expect(!text.contains("pm10"))
        #expect(response.headers[.contentDisposition]?.contains("dust-pm25") == true)
    }

    /// A request that asks for the head alone, or whose client goes away, frees its place.
    @Test func exportsThatAreNotReadGiveTheirPlaceBack() async throws {
        let site = try Site()
        for _ in 0..<5 { #expect(try await site.get("export").status == .ok) }
        let first = try await site.get("export")
        let second = try await site.get("export")
        #expect(try await site.get("export").status == .serviceUnavailable)
        _ = try await Site.text(first)
        _ = try await Site.text(second)
    }

    @Test(arguments: [
        ("series", 400), ("series?channel=dust/pm25&points=0", 400),
        ("series?channel=dust/pm25&points=1501", 400), ("series?channel=dust/pm25&x=1", 400),
        ("series?channel=a&channel=b&channel=c&channel=d&channel=e&points=1500", 400),
        ("series?channel=dust/pm25&last=1h&from=2026-04-14T00:00:00Z", 400),
        ("series?channel=dust/pm25&from=yesterday", 400),
        ("series?channel=dust/pm25&from=2026-04-15T00:00:00Z&to=2026-04-14T00:00:00Z", 400),
        ("series?channel=attic/pm25", 404), ("means?channel=dust/pm25&by=moon", 400),
        ("means?channel=dust/pm25&zone=../../etc/passwd", 400), ("events?severity=loud", 400),
        ("events?cursor=1", 400), ("events?limit=1001", 400), ("readings", 400),
        ("readings?channel=dust/pm25&cursor=x", 400), ("export?format=xls", 400),
        ("export?channel=attic/pm25", 404), ("gaps/dust/pm25/noon", 400),
        ("gaps/attic/pm25/2026-04-14T01:10:00Z", 404), ("proof?x=1", 400),
        ("explain/noise", 404),
    ])
    func aWrongQuestionIsAProblem(target: String, status: Int) async throws {
        let response = try await Site().get(target)
        #expect(response.status.code == status)
        #expect(response.headers[.contentType] == "application/problem+json")
    }

    /// The history works from the card while the station's program is down.
    @Test func aStationThatIsAwayDoesNotHideItsHistory() async throws {
        let site = try Site()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let station = StationClient(path: site.fixture.path + "/none", on: loop)
        let client = HistoryClient(station, folder: site.fixture.path, logger: logger)
        let count = try await client.read { try StoreChannel.all($0.reader).count }
        #expect(count == 2)
    }

    /// A station whose card is gone refuses its records: Health shows that, and goes on.
    @Test func aStationWithoutItsCardIsAProblemOfTheStore() async throws {
        let site = try Site()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let refusal = ControlFailure(code: .store, message: "the card is gone")
        let kind = try await OneLineStation.answering(Result<String, _>.failure(refusal)) {
            station in
            let client = HistoryClient(station, folder: site.fixture.path, logger: logger)
            do {
                return try await client.read { _ in RefusalCode?.none }
            } catch let problem as Problem { return problem.kind }
        }
        #expect(kind == .store)
    }

    @Test func aFolderWithoutAHistoryIsAProblem() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let client = HistoryClient(nil, folder: "/nonexistent", logger: logger)
        await #expect(throws: Problem.self) { try await client.read { $0.generation } }
    }
}

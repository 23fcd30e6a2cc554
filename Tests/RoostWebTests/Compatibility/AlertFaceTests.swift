import HTTPTypes
import SQLite
import StoreFixtures
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct AlertFaceTests {
    /// Both quantities in tenths by minute since 07:49:04, and 1.0 where nothing is said.
    private static func fixture(
        minutes: Int = 130,
        _ values: [Int64: Int64] = [:]
    ) throws -> QueryFixture {
        let boot = QueryFixture.Boot(started: "2022-11-06T07:49:04Z", minutes: minutes)
        return try QueryFixture([boot]) { values[$0 / 60] ?? 10 }
    }

    @Test func answersByteForByte() async throws {
        let stage = FaceStage(try Self.fixture([13: 153]))
        let files = #""hourly/Sun Nov  6 07:49:04 2022.csv","hourly/Sun Nov  6 08:49:04 2022.csv","#
        #expect(
            try await stage.text("/compat/alert")
                == #"{"alert":true,"files_seen":["# + files
                + #""hourly/Sun Nov  6 09:49:04 2022.csv"],"pollutant":"PM10","#
                + #""prev_files_skipped":false,"time":"Sun Nov  6 08:02:04 2022","value":15.3}"#
                + "\n"
        )
        #expect(
            try await stage.text("/compat/alert")
                == #"{"alert":false,"files_seen":["# + files
                + #""hourly/Sun Nov  6 09:49:04 2022.csv"],"pollutant":"","#
                + #""prev_files_skipped":true,"time":"","value":0.0}"# + "\n"
        )
    }

    /// A value at a limit counts as above; PM10 is last in a minute, as the last row is in a file.
    @Test(arguments: [
        ([5: Int64(49)], "", "0.0"), ([5: 50], "PM2.5", "5.0"), ([5: 149], "PM2.5", "14.9"),
        ([5: 150], "PM10", "15.0"), ([5: 150, 6: 51], "PM2.5", "5.1"),
    ])
    func judgesByTheLimits(values: [Int64: Int64], pollutant: String, value: String) async throws {
        let text = try await FaceStage(try Self.fixture(values)).text("/compat/alert")
        #expect(text.contains("\"pollutant\":\"\(pollutant)\""))
        #expect(text.hasSuffix("\"value\":\(value)}\n"))
        #expect(text.contains("\"alert\":\(!pollutant.isEmpty),"))
    }

    /// Files go by their names, not by their times: Tuesday's comes after Thursday's.
    @Test func theLastFileByNameWins() async throws {
        let values: [Int64: Int64] = [30: 60, 2 * 1_440 + 30: 70]
        let boot = QueryFixture.Boot(started: "2022-11-08T00:00:00Z", minutes: 3 * 1_440)
        let stage = FaceStage(try QueryFixture([boot]) { values[$0 / 60] ?? 10 })
        let text = try await stage.text("/compat/alert")
        #expect(text.contains(#""time":"Tue Nov  8 00:30:00 2022","value":6.0"#))
    }

    /// A client asked while the clock was a year ahead: later values are still reported.
    @Test func aDayOfAWrongYearSilencesNoAlert() async throws {
        let folder = try TestFolder(isInMemory: true)
        let database = try WebDatabase(folder: folder.path)
        let early = FaceStage(try Self.fixture(minutes: 70), database: database)
        _ = try await early.text("/compat/alert?client=a")
        try await database.run { connection in
            try connection.execute(
                "UPDATE alert_cursors SET judged_to = judged_to + 31536000"
            )
        }
        let ahead = FaceStage(try Self.fixture(minutes: 70), database: database)
        let quiet = try await ahead.text("/compat/alert?client=a")
        #expect(quiet.contains(#""alert":false"#))
        let later = FaceStage(try Self.fixture(minutes: 240, [200: 60]), database: database)
        let text = try await later.text("/compat/alert?client=a")
        #expect(text.contains(#""alert":true"#), "\(text)")
    }

    @Test func eachClientIsToldOnce() async throws {
        let stage = FaceStage(try Self.fixture([13: 153]))
        for client in ["a", "b"] {
            let target = "/compat/alert?client=" + client
            #expect(try await stage.text(target).contains(#""alert":true"#))
            #expect(try await stage.text(target).contains(#""alert":false"#))
        }
        let long = String(repeating: "x", count: 65)
        #expect(await stage.get("/compat/alert?client=" + long).status == .badRequest)
    }

    /// After a restart complete files stay seen; the rows of the open one may come again.
    @Test func whatAClientSawIsKept() async throws {
        let folder = try TestFolder()
        let fixture = try Self.fixture([13: 153, 125: 160])
        let database = try WebDatabase(folder: folder.path)
        let first = try await FaceStage(fixture, database: database).text("/compat/alert")
        #expect(first.contains(#""value":16.0"#))
        let again = try WebDatabase(folder: folder.path)
        let second = try await FaceStage(fixture, database: again).text("/compat/alert")
        #expect(second.contains(#""prev_files_skipped":true"#))
        #expect(second.contains(#""value":16.0"#))
    }

    /// A further name is answered and not remembered: invented names displace no client.
    @Test func remembersSixteenClients() async throws {
        let folder = try TestFolder()
        let database = try WebDatabase(folder: folder.path)
        let stage = FaceStage(try Self.fixture([13: 153]), database: database)
        for number in 0..<20 { _ = try await stage.text("/compat/alert?client=\(number)") }
        let kept = try await database.run { connection in
            let count: Int = try connection.scalar("SELECT count(*) FROM alert_cursors") ?? 0
            return count
        }
        #expect(kept == AlertCursors.clientMax)
        #expect(try await stage.text("/compat/alert?client=19").contains(#""alert":true"#))
        #expect(try await stage.text("/compat/alert?client=0").contains(#""alert":false"#))
    }

    /// A page elsewhere can make a browser ask; the client's cursor does not move by it.
    @Test(arguments: [
        ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101"),
        ("Origin", "http://evil.example"), ("Referer", "http://evil.example/"),
        ("Sec-Fetch-Site", "cross-site"),
    ])
    func aWebPageHasNoEffect(field: (name: String, value: String)) async throws {
        let folder = try TestFolder()
        let database = try WebDatabase(folder: folder.path)
        let stage = FaceStage(try Self.fixture([13: 153]), database: database)
        var headers: HTTPFields = [:]
        headers[try #require(HTTPField.Name(field.name))] = field.value
        for client in ["", "?client=a", "?client=b"] {
            for _ in 0..<2 {
                let text = try await stage.text("/compat/alert" + client, headers)
                #expect(text.contains(#""alert":true"#))
            }
        }
        let kept = try await database.run { connection in
            let count: Int = try connection.scalar("SELECT count(*) FROM alert_cursors") ?? 0
            return count
        }
        #expect(kept == 0)
        #expect(try await stage.text("/compat/alert").contains(#""alert":true"#))
        #expect(try await stage.text("/compat/alert").contains(#""alert":false"#))
    }

    /// A client that has not asked for a month of records makes room.
    @Test func aClientThatIsGoneMakesRoom() async throws {
        let folder = try TestFolder()
        let database = try WebDatabase(folder: folder.path)
        let early = FaceStage(try Self.fixture([13: 153]), database: database)
        for number in 0..<16 { _ = try await early.text("/compat/alert?client=\(number)") }
        let boot = QueryFixture.Boot(started: "2022-12-07T07:49:04Z", minutes: 130)
        let fixture = try QueryFixture([boot]) { $0 / 60 == 13 ? 153 : 10 }
        let late = FaceStage(fixture, database: database)
        #expect(try await late.text("/compat/alert?client=new").contains(#""alert":true"#))
        #expect(try await late.text("/compat/alert?client=new").contains(#""alert":false"#))
    }

    /// Rollups lead to the same answer as all rows.
    @Test func aLongHistoryIsJudgedAsRowsAre() async throws {
        for minute in [0, 59, 60, 1_439, 2_000, 4_318] {
            let fixture = try Self.fixture(minutes: 4_320, [Int64(minute): 50])
            let text = try await FaceStage(fixture).text("/compat/alert")
            #expect(text.contains(#""alert":true"#), "minute \(minute)")
        }
    }

    @Test func withoutADustSensorThereIsNothingToJudge() async throws {
        let stage = FaceStage(try QueryFixture([]))
        #expect(
            try await stage.text("/compat/alert")
                == #"{"alert":false,"files_seen":[],"pollutant":"","prev_files_skipped":false,"#
                + #""time":"","value":0.0}"# + "\n"
        )
    }
}

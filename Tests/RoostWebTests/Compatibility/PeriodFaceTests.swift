import HTTPTypes
import StoreFixtures
import TestSupport
import Testing

@testable import RoostWeb
@testable import StoreQueries

@Suite struct PeriodFaceTests {
    /// Three hours from 07:49:04 on, a value each minute, in tenths its minute.
    private static func morning() throws -> QueryFixture {
        try QueryFixture([QueryFixture.Boot(started: "2022-11-06T07:49:04Z", minutes: 180)]) {
            $0 / 60
        }
    }

    @Test func aFileHasSixtyMinutesAndTheNameOfItsFirst() async throws {
        let stage = FaceStage(try Self.morning())
        let name = "Sun%20Nov%20%206%2007:49:04%202022.csv"
        let response = await stage.get("/compat/files/hourly/" + name)
        #expect(response.headers[.contentType] == "text/csv; charset=utf-8")
        let text = try await stage.text("/compat/files/hourly/" + name)
        let rows = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(rows.count == 121)
        #expect(rows[0] == "PM2.5,0.0,Sun Nov  6 07:49:04 2022")
        #expect(rows[1] == "PM10,0.0,Sun Nov  6 07:49:04 2022")
        #expect(rows[119] == "PM10,5.9,Sun Nov  6 08:48:04 2022")
        #expect(rows[120].isEmpty)
    }

    @Test func theLastOfAMinuteCounts() async throws {
        let boot = QueryFixture.Boot(
            started: "2022-11-06T07:49:04Z",
            minutes: 5,
            intervalSeconds: 10
        )
        let stage = FaceStage(try QueryFixture([boot]) { $0 / 10 })
        let text = try await stage.text(
            "/compat/files/daily/Sun%20Nov%20%206%2007:49:54%202022.csv"
        )
        #expect(text.hasPrefix("PM2.5,0.5,Sun Nov  6 07:49:54 2022\r\nPM10,0.5,"))
        #expect(text.split(separator: "\r\n").count == 8)
    }

    @Test func listsNamesWithFriendlyDatesNewestFirst() async throws {
        let stage = FaceStage(try Self.morning())
        let hourly = try await stage.text("/compat/files/hourly")
        #expect(
            hourly == #"{"type":"hourly","items":["#
                + #"{"name":"Sun Nov  6 09:49:04 2022.csv","#
                + #""date":"Sunday 6 November 2022, 09:49","isComplete":false},"#
                + #"{"name":"Sun Nov  6 08:49:04 2022.csv","#
                + #""date":"Sunday 6 November 2022, 08:49","isComplete":true},"#
                + #"{"name":"Sun Nov  6 07:49:04 2022.csv","#
                + #""date":"Sunday 6 November 2022, 07:49","isComplete":true}]}"#
        )
        let monthly = try await stage.text("/compat/files/monthly")
        #expect(monthly.contains(#""name":"Sun Nov  6 07:49:04 2022.csv""#))
        #expect(monthly.contains(#""isComplete":false"#))
    }

    /// The dashboard lists the same files, of the time that it shows, and without a face.
    @Test func thePageListsTheFilesOfItsTime() async throws {
        let stage = FaceStage(try Self.morning())
        let range = "from=2022-11-06T08:00:00Z&to=2022-11-06T09:00:00Z"
        let hourly = try await stage.text("/api/v1/files/hourly?" + range)
        #expect(
            hourly == #"{"count":2,"items":["#
                + #"{"from":"2022-11-06T08:49:04Z","isComplete":true,"#
                + #""name":"Sun Nov  6 08:49:04 2022.csv"},"#
                + #"{"from":"2022-11-06T07:49:04Z","isComplete":true,"#
                + #""name":"Sun Nov  6 07:49:04 2022.csv"}],"minutes":60,"type":"hourly"}"#
        )
        let monthly = try await stage.text("/api/v1/files/monthly")
        #expect(monthly.contains(#""name":"Sun Nov  6 07:49:04 2022.csv"}],"minutes":43800"#))
        let name = "Sun%20Nov%20%206%2007:49:04%202022.csv"
        let response = await stage.get("/api/v1/files/hourly/" + name)
        #expect(
            response.headers[.contentDisposition]
                == #"attachment; filename="Sun Nov  6 07:49:04 2022.csv""#
        )
        let own = try await stage.text("/api/v1/files/hourly/" + name)
        #expect(try await stage.text("/compat/files/hourly/" + name) == own && !own.isEmpty)
        for wrong in ["yearly", "hourly?from=noon", "hourly/none.csv", "hourly?all=1"] {
            let response = await stage.get("/api/v1/files/" + wrong)
            #expect([400, 404].contains(response.status.code), "\(wrong)")
            #expect(response.headers[.contentType] == "application/problem+json", "\(wrong)")
        }
    }

    @Test func hourlyListsTodayUnlessAllAreWanted() async throws {
        let boot = QueryFixture.Boot(started: "2022-11-06T22:10:00Z", minutes: 240)
        let stage = FaceStage(try QueryFixture([boot]))
        let today = try await stage.text("/compat/files/hourly")
        #expect(!today.contains("Nov  6") && today.contains("Mon Nov  7 00:10:00 2022.csv"))
        let all = try await stage.text("/compat/files/hourly?all=1")
        #expect(all.contains("Sun Nov  6 22:10:00 2022.csv"))
    }

    /// As the clocks go back, two files an hour apart begin at one time.
    @Test func twoFilesOfOneNameAreToldApart() async throws {
        let boot = QueryFixture.Boot(started: "2022-10-29T23:30:00Z", minutes: 240)
        let zone = try #require(Zone(named: "Europe/Berlin"))
        let stage = FaceStage(try QueryFixture([boot]) { $0 / 60 }, zone: zone)
        let all = try await stage.text("/compat/files/hourly?all=1")
        #expect(all.contains("Sun Oct 30 02:30:00 2022.csv"))
        #expect(all.contains("Sun Oct 30 02:30:00 2022 2.csv"))
        let second = try await stage.text(
            "/compat/files/hourly/Sun%20Oct%2030%2002:30:00%202022%202.csv"
        )
        #expect(second.hasPrefix("PM2.5,12.0,Sun Oct 30 02:30:00 2022\r\n"))
    }

    /// Time in which the station was off shifts no window.
    @Test func aStopLeavesHolesAndNames() async throws {
        let boots = [
            QueryFixture.Boot(started: "2022-11-06T07:49:04Z", minutes: 10),
            QueryFixture.Boot(started: "2022-11-06T10:00:30Z", minutes: 120),
        ]
        let stage = FaceStage(try QueryFixture(boots))
        let list = try await stage.text("/compat/files/hourly")
        #expect(list.contains("Sun Nov  6 07:49:04 2022.csv"))
        #expect(list.contains("Sun Nov  6 10:00:30 2022.csv"))
        #expect(list.contains("Sun Nov  6 10:49:30 2022.csv"))
        #expect(list.split(separator: "name").count == 5)
    }

    @Test func anotherTypeIsRefusedInTheWordsOfTheSeed() async throws {
        let stage = FaceStage(try Self.morning())
        let response = await stage.get("/compat/files/yearly")
        #expect(response.status == .badRequest)
        let words = try await stage.text("/compat/files/yearly/x.csv")
        #expect(
            words == "Invalid measurement_type provided: yearly. "
                + "Must be hourly, daily, weekly, or monthly."
        )
        #expect(await stage.get("/compat/files/hourly/x.csv").status == .notFound)
        #expect(await stage.get("/compat/files/hourly?all=2").status == .badRequest)
    }

    /// The first sample's time is stored: names stay when the history has lost it.
    @Test func theOriginIsKept() async throws {
        let folder = try TestFolder()
        let database = try WebDatabase(folder: folder.path)
        _ = try await FaceStage(try Self.morning(), database: database).text("/compat/files/hourly")
        let later = QueryFixture.Boot(started: "2022-11-06T08:20:04Z", minutes: 180)
        let stage = FaceStage(try QueryFixture([later]), database: database)
        let list = try await stage.text("/compat/files/hourly")
        #expect(list.contains("Sun Nov  6 08:49:04 2022.csv"))
        // Its window's beginning is gone.
        #expect(!list.contains("08:20:04"))
    }
}

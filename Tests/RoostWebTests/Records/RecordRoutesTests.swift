import ControlProtocol
import Core
import FoundationEssentials
import HTTPTypes
import StoreFixtures
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct RecordRoutesTests {
    private static func stage(_ report: EyesReport? = RecordsStage.report) throws -> RecordsStage {
        try RecordsStage(
            [("door", 60, 5), ("door", 120, 5)],
            pictures: (0..<20).map { ("door", 60 + $0 * 60) }
        )
    }

    private static func accounts(
        _ stage: RecordsStage,
        _ report: EyesReport? = RecordsStage.report
    ) throws -> AccountsStage {
        try AccountsStage(audited: { accounts in
            RecordRoutes(stage.history, stage.camera(report), accounts.looks).all
        })
    }

    private static func audit(_ stage: AccountsStage, _ owner: Browser) async -> [String] {
        let body = await stage.ask(.get, "/audit", as: owner).body
        return body.components("\"action\":\"pictures").dropFirst().map { String($0.prefix(160)) }
    }

    @Test func viewersSeeMotionsAndNoPicture() async throws {
        let stage = try Self.stage()
        let accounts = try Self.accounts(stage)
        let anna = try await accounts.claim()
        let ben = try await accounts.signUp("Ben", .member, by: anna)
        let eve = try await accounts.signUp("Eve", .viewer, by: anna)
        #expect(await accounts.ask(.get, "/records").status == 401)
        #expect(await accounts.ask(.get, "/records/1/picture").status == 401)
        let seen = await accounts.ask(.get, "/records", as: eve)
        #expect(seen.status == 200 && seen.body.contains("\"hasPicture\":true"))
        #expect(!seen.body.contains("\"number\":") && !seen.body.contains(".jpg"))
        #expect(seen.body.contains("\"mayLook\":false"))
        #expect(await accounts.ask(.get, "/records/1/picture", as: eve).status == 403)
        for browser in [anna, ben] {
            let picture = await accounts.ask(.get, "/records/1/picture", as: browser)
            #expect(picture.status == 200 && picture.body == "picture of 60")
            #expect(picture.headers[.contentType] == "image/jpeg")
            #expect(picture.headers[.cacheControl] == "no-store")
        }
        #expect(await accounts.ask(.get, "/records/99/picture", as: ben).status == 404)
        #expect(await accounts.ask(.get, "/records/x/picture", as: ben).status == 404)
    }

    @Test func aTokenSeesNoPicture() async throws {
        let stage = try Self.stage()
        let accounts = try Self.accounts(stage)
        let anna = try await accounts.claim()
        let body = #"{"name":"script","scopes":["read","write"],"days":1}"#
        let token = await accounts.ask(.post, "/tokens", body, as: anna).text("token")
        let program = Browser(token: token)
        #expect(token != nil)
        let seen = await accounts.ask(.get, "/records", as: program)
        #expect(seen.status == 200 && !seen.body.contains("\"number\":"))
        #expect(await accounts.ask(.get, "/records/1/picture", as: program).status == 403)
        #expect(await accounts.ask(.delete, "/records/1", as: program).status == 403)
        #expect(stage.asked.all.allSatisfy { $0 is GetCameraStatus })
    }

    @Test func whoLookedIsOneLineForAPersonAndHour() async throws {
        let stage = try Self.stage()
        let accounts = try Self.accounts(stage)
        let anna = try await accounts.claim()
        let ben = try await accounts.signUp("Ben", .member, by: anna)
        // A picture that is not there was not seen.
        #expect(await accounts.ask(.get, "/records/99/picture", as: ben).status == 404)
        #expect(await Self.audit(accounts, anna).isEmpty)
        for number in 3...15 {
            #expect(
                await accounts.ask(.get, "/records/\(number)/picture", as: ben).status == 200
            )
        }
        #expect(await Self.audit(accounts, anna).count == 1)
        #expect(await accounts.ask(.get, "/records/1/picture", as: anna).status == 200)
        #expect(await Self.audit(accounts, anna).count == 2)
        accounts.time.pass(3_599)
        #expect(await accounts.ask(.get, "/records/4/picture", as: ben).status == 200)
        #expect(await Self.audit(accounts, anna).count == 2)
        accounts.time.pass(1)
        #expect(await accounts.ask(.get, "/records/4/picture", as: ben).status == 200)
        #expect(await Self.audit(accounts, anna).count == 3)
    }

    @Test func ownersDeleteAndTheAuditKnowsIt() async throws {
        let stage = try Self.stage()
        let accounts = try Self.accounts(stage)
        let anna = try await accounts.claim()
        let ben = try await accounts.signUp("Ben", .member, by: anna)
        #expect(await accounts.ask(.delete, "/records/7", as: ben).status == 403)
        let all = #"{"upTo":12}"#
        #expect(await accounts.ask(.post, "/records/delete", all, as: ben).status == 403)
        #expect(stage.asked.all.isEmpty)
        #expect(await accounts.ask(.delete, "/records/7", as: anna).status == 200)
        #expect(await accounts.ask(.delete, "/records/99", as: anna).status == 404)
        #expect(await accounts.ask(.post, "/records/delete", all, as: anna).status == 200)
        #expect(await accounts.ask(.post, "/records/delete", "{}", as: anna).status == 400)
        let requests = stage.asked.all.compactMap { $0 as? DeletePictures }
        #expect(requests.map(\.number) == [7, 99, nil])
        #expect(requests.last?.upTo == 12)
        let lines = await Self.audit(accounts, anna)
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("-deleted") })
    }

    @Test func theStateOfTheCameraIsSaid() async throws {
        let stage = try Self.stage()
        func state(_ camera: RecordRoutes.Camera?) async throws -> String {
            let routes = RecordRoutes(stage.history, camera, nil).all
            return try await RouteStage.text(await RouteStage(routes).ask("/api/v1/records"))
        }
        var report = RecordsStage.report
        (report.lastTrouble, report.leftOutCount) = ("the command did not end", 3)
        let on = try await state(stage.camera(report))
        #expect(on.contains("\"camera\":\"on\"") && on.contains("\"trouble\":\"the command did"))
        #expect(on.contains("\"room\":100") && on.contains("\"retentionDays\":14"))
        #expect(try await state(stage.camera(nil)).contains("\"camera\":\"stopped\""))
        let none = try RecordsStage([("door", 60, 5)], pictures: nil)
        let routes = RecordRoutes(none.history, none.camera(nil), nil).all
        let off = try await RouteStage.text(await RouteStage(routes).ask("/api/v1/records"))
        #expect(off.contains("\"camera\":\"off\"") && off.contains("\"seconds\":5"))
        // A card without its station.
        #expect(try await state(nil).contains("\"camera\":\"off\""))
        let gone = await RouteStage(
            RecordRoutes(none.history, none.camera(nil), nil).all,
            as: .owner
        )
        .ask("/api/v1/records/1", .delete)
        #expect(gone.status == .serviceUnavailable)
    }

    @Test func aMotionWithoutAPictureSaysWhy() async throws {
        let stage = try RecordsStage(
            [("door", 60, 5), ("door", 120, 5), ("door", 180, 5)],
            pictures: []
        )
        let begin = QueryFixture.wall(RecordsStage.started).nanoseconds
        var report = RecordsStage.report
        report.lacks = [
            .init(source: "door", time: begin + 60_400_000_000, reason: .masked),
            .init(source: "hall", time: begin + 120_000_000_000, reason: .busy),
            .init(source: "door", time: begin + 180_000_000_000, reason: .failed, words: "late"),
        ]
        let routes = RecordRoutes(stage.history, stage.camera(report), nil).all
        let text = try await RouteStage.text(await RouteStage(routes).ask("/api/v1/records"))
        let items = text.split(separator: "\"event\":").dropFirst()
        #expect(items.count == 3)
        let lacks = items.map { $0.contains("\"lack\":\"failed\",\"lackWords\":\"late\"") }
        #expect(lacks == [true, false, false])
        #expect(items.map { $0.contains("\"lack\":\"masked\"") } == [false, false, true])
    }

    @Test func aRingThatChangesIsReadAgain() async throws {
        let stage = try Self.stage()
        #expect(try stage.cache.records()?.count == 20)
        let other = try RecordsStage([], pictures: [("door", 60)])
        let (from, to) = (other.folder.path("pictures"), stage.folder.path("pictures"))
        try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to), options: .atomic)
        #expect(try stage.cache.records()?.count == 1)
        #expect(try stage.cache.picture(2) == nil)
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [Substring] { split(separator: separator) }
}

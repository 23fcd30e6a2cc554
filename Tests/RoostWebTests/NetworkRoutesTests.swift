import ControlProtocol
import FileIO
import Glibc
import HTTPTypes
import Provisioning
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct NetworkRoutesTests {
    private let folder: TestFolder
    private let requests: NetworkRequests

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in [
            "usr", "usr/lib", "usr/lib/roost", "run", "run/roost-web", "run/roost-network",
        ] { mkdir(folder.path(name), 0o755) }
        requests = NetworkRequests(host: "balcony", root: folder.path)
    }

    private func write(_ text: String, _ name: String) throws {
        try Files.replace(folder.path(name), with: Array(text.utf8), mode: 0o600)
    }

    private func makeImage() throws { try write("{}", "usr/lib/roost/image.json") }

    private var wanted: String { folder.path("run/roost-web/network-wanted") }

    private var routes: [Route] {
        let network = NetworkRoutes(requests)
        return network.acts + network.others
    }

    private func stage(_ right: Right = .owner) -> RouteStage {
        RouteStage(routes, as: right)
    }

    @Test func leavesTheNetworkToTheSystemWithoutAnImage() async throws {
        let stage = stage()
        let answer = await stage.ask("/api/v1/network")
        #expect(try await RouteStage.text(answer).contains(#""isImage":false"#))
        #expect(await stage.ask("/api/v1/network/scan", .post).status == .notFound)
        #expect(access(wanted, F_OK) != 0)
    }

    @Test(arguments: [Right.viewer, .member])
    func isTheOwnersAlone(_ right: Right) async throws {
        try makeImage()
        let stage = stage(right)
        #expect(await stage.ask("/api/v1/network").status == .forbidden)
        #expect(await stage.ask("/api/v1/network", .post).status == .forbidden)
        #expect(await stage.ask("/api/v1/network/scan", .post).status == .forbidden)
        #expect(routes.allSatisfy { $0.scope == nil })
    }

    @Test func asksForWhoMayJoinTheAccessPoint() async throws {
        try makeImage()
        let stage = stage()
        let wrong = await stage.ask("/api/v1/network/point", .post, body: #"{"rule":"all"}"#)
        #expect(try await RouteStage.text(wrong).contains("/rule") && access(wanted, F_OK) != 0)
        let right = await stage.ask("/api/v1/network/point", .post, body: #"{"rule":"locked"}"#)
        #expect(right.status == .ok)
        #expect(Files.text(wanted) == #"{"act":"point","rule":"locked"}"#)
    }

    @Test func saysHowLongAgoTheNetworksWereSeen() throws {
        try makeImage()
        var survey = NetworkSurvey()
        survey.seenAt = 40
        try write(try ControlCodec.line(survey), "run/roost-network/seen.json")
        let clock = WebClock(boot: "", uptime: { 100.9 }, seconds: { 0 })
        let requests = NetworkRequests(host: "balcony", root: folder.path, clock: clock)
        #expect(try requests.view.surveyAgeSeconds == 60)
    }

    @Test func asksTheServiceByAFileOfItsOwn() throws {
        try makeImage()
        let request = NetworkRequest(
            .join,
            network: "6d79ff",
            password: "planted-secret",
            country: "de"
        )
        try requests.ask(request)
        let bytes = try #require(try Files.readSecret(wanted, limit: 4_096))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(try ControlCodec.message(NetworkRequest.self, from: text) == request)
        #expect(try requests.view.isBusy)
        // One at a time, also while the service has read it.
        #expect(throws: Problem.self) { try requests.ask(NetworkRequest(.scan)) }
        unlink(wanted)
        try write(#"{"act":"join","network":"6d79ff"}"#, "run/roost-network/busy.json")
        #expect(try requests.view.isBusy && requests.view.joining == "6d79ff")
        #expect(throws: Problem.self) { try requests.ask(NetworkRequest(.scan)) }
    }

    @Test func showsWhatTheServiceSaid() throws {
        try makeImage()
        try write(
            #"{"hasRadio":true,"hasCable":false,"accessPoint":"roost-35CC","networks":"#
                + #"[{"network":"61","signal":-41,"kind":"mixed"}]}"#,
            "run/roost-network/seen.json"
        )
        try write(
            #"{"network":"61","result":"wrongPassword"}"#,
            "run/roost-network/last.json"
        )
        let view = try requests.view
        #expect(!view.isBusy && view.host == "balcony" && view.last?.result == .wrongPassword)
        #expect(view.survey?.networks.first?.kind == .mixed && !view.isAccessPoint)
        mkdir(folder.path("run/roost-access-point"), 0o755)
        try write("10.66.0.1\n", "run/roost-access-point/address")
        #expect(try requests.view.isAccessPoint)
    }

    @Test(arguments: [
        ("xyz", "12345678", "DE", "network"), ("61", "short", "DE", "password"),
        ("61", "12345678", "DEU", "country"),
    ])
    func namesTheFieldThatIsWrong(
        network: String,
        password: String,
        country: String,
        field: String
    ) throws {
        try makeImage()
        let request = NetworkRequest(
            .join,
            network: network,
            password: password,
            country: country
        )
        let problem = #expect(throws: Problem.self) { try requests.ask(request) }
        #expect(problem?.places.first?.pointer == "/\(field)")
        #expect(access(wanted, F_OK) != 0)
    }

    @Test func saysThatWhatTheServiceSaidCannotBeRead() throws {
        try makeImage()
        let path = folder.path("run/roost-network/seen.json")
        #expect(symlink(path, path) == 0)
        let problem = #expect(throws: Problem.self) { try requests.view }
        #expect(problem?.kind == .store)
    }
}

import ControlProtocol
import Core
import Logging
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import StoreQueries

@Suite struct StationFinderTests {
    /// A network with the output of avahi-browse.
    private final class Network: StationBrowser {
        let output = Mutex("")
        let failure = Mutex<StationSearchError?>(nil)
        let count = Mutex(0)
        let resolved = Mutex<[String]>([])

        func browse(_ type: String) async throws -> StationSearch {
            count.withLock { $0 += 1 }
            if let failure = failure.withLock({ $0 }) { throw failure }
            return StationSearch(
                Array(output.withLock { $0 }.utf8),
                ownAddresses: ["192.168.1.2", "127.0.0.1"]
            )
        }

        func resolve(_ hosts: [String]) async throws -> [UInt8] {
            resolved.withLock { $0 += hosts }
            return Array(hosts.map { "\($0)\t192.168.1.30\n" }.joined().utf8)
        }

        func announce(_ name: String, _ address: String, port: Int = 80) {
            let line = "=;eth0;IPv4;\(name);_roost._tcp;local;\(name).local;\(address);\(port);\n"
            output.withLock { $0 += line }
        }
    }

    /// A dashboard that may require a token.
    private struct Dashboard: SimulatedServer {
        let body: String
        var token: String?

        init(_ name: String, level: String = "good", boot: String = "other", token: String? = nil) {
            self.token = token
            body = """
                {"station":{"name":"\(name)","bootID":"\(boot)","visited":true},
                "verdict":{"level":"\(level)","code":"level.\(level)","sentence":"Measuring."},
                "channels":[{"quantity":"pm25"}],"lamp":"good"}
                """
        }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let given = request.fields.first { $0.name == "Authorization" }?.value.revealed
            guard token == nil || given == token.map({ "Bearer \($0)" }) else {
                return OutboundAnswer(401, text: "{}")
            }
            guard request.url.revealed.hasSuffix("/api/v1/station") else {
                return OutboundAnswer(404)
            }
            return OutboundAnswer(200, text: body)
        }
    }

    private static let token = "a token of the barn"
    private static let peer =
        #"{"id":"barn","type":"peer","url":"http://barn.local","token":{"secret":"key"}}"#

    private func live(
        finds: Bool? = nil,
        _ body:
            @escaping @Sendable (SimulatedClock, Network, SimulatedInternet, StationFinder)
            async throws -> Void
    ) throws {
        try simulate { clock in
            let (network, internet) = (Network(), SimulatedInternet(clock: clock))
            let (station, secrets) = (try ScriptedStation(clock), CourierLife.Secrets())
            secrets.set("key", Self.token)
            station.said.set(findsStations: finds)
            var world = CourierDependencies(
                link: station,
                history: HistoryDisk(on: station),
                secrets: secrets,
                clock: clock,
                logger: Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
            ) { _ in internet }
            world.stations = network
            let finder = StationFinder(world)
            try await body(clock, network, internet, finder)
        }
    }

    private static func read(_ text: String) throws -> CourierConfiguration {
        try CourierConfiguration(Array(text.utf8), file: "courier.json")
    }

    @Test func listsThoseOfFeedsAndThoseFound() throws {
        try live { clock, network, internet, finder in
            internet.add(Dashboard("the barn", level: "poor", token: Self.token), at: "barn.local")
            internet.add(Dashboard("attic"), at: "192.168.1.20:8080")
            internet.add(Dashboard("cellar", token: "another"), at: "192.168.1.21")
            internet.set(.refused, at: "192.168.1.22")
            network.announce("barn", "192.168.1.19")
            network.announce("attic", "192.168.1.20", port: 8_080)
            network.announce("cellar", "192.168.1.21")
            network.announce("dark", "192.168.1.22")
            // This station itself, by its address.
            network.announce("self", "192.168.1.2")
            let configuration = try Self.read("{\"stations\":{},\"feeds\":[\(Self.peer)]}")
            let report = try await finder.report(configuration)
            #expect(report.search == .done)
            #expect(report.items.map(\.name) == ["the barn", "attic", "cellar", "dark"])
            #expect(report.items.map(\.state) == [.answers, .answers, .needsToken, .silent])
            #expect(report.items[0].feed == "barn" && report.items[0].host == "barn.local")
            #expect(report.items[0].facts?.level == "poor")
            #expect(report.items[1].facts?.visited == true)
            #expect(report.items[1].url == "http://192.168.1.20:8080")
            // A station that only announces itself gets no token.
            let tokens = internet.sent.filter { $0.fields.contains { $0.name == "Authorization" } }
            #expect(tokens.map(\.url.revealed) == ["http://barn.local/api/v1/station"])
            // Many viewers cost as much as one.
            _ = try await finder.report(configuration)
            #expect(network.count.withLock { $0 } == 1)
            try await clock.sleep(for: .seconds(11))
            _ = try await finder.report(configuration)
            #expect(network.count.withLock { $0 } == 2)
        }
    }

    /// The owner's setting counts where the file says nothing; else the file does.
    @Test(
        arguments: [
            ("{}", true, .done), ("{}", false, .off), ("{}", nil, .off),
            (#"{"stations":{"find":false}}"#, true, .off), (#"{"stations":{}}"#, false, .done),
        ] as [(String, Bool?, StationsReport.Search)]
    )
    func theOwnerMayLetTheNetworkBeSearched(
        _ file: String,
        _ finds: Bool?,
        _ search: StationsReport.Search
    ) throws {
        try live(finds: finds) { _, network, internet, finder in
            internet.add(Dashboard("attic"), at: "192.168.1.20")
            network.announce("attic", "192.168.1.20")
            let report = try await finder.report(try Self.read(file))
            #expect(report.search == search)
            #expect(report.items.map(\.name) == (search == .done ? ["attic"] : []))
        }
    }

    @Test func thisStationIsNotListed() throws {
        try live { clock, network, internet, finder in
            let own = try await ScriptedStation(clock).ask(GetStatus())
            let boot = try #require(own.bootID)
            internet.add(Dashboard(own.name, boot: boot), at: "192.168.1.20")
            internet.add(Dashboard("other", boot: boot), at: "192.168.1.21")
            network.announce("a", "192.168.1.20")
            network.announce("b", "192.168.1.21")
            let report = try await finder.report(try Self.read("{\"stations\":{}}"))
            #expect(report.items.map(\.name) == ["other"])
        }
    }

    @Test func anAddressThatAvahiDidNotNameIsAskedFor() throws {
        try live { _, network, internet, finder in
            internet.add(Dashboard("attic"), at: "192.168.1.30")
            network.announce("attic", "fe80::5")
            network.announce("cellar", "192.168.1.31")
            let report = try await finder.report(try Self.read("{\"stations\":{}}"))
            #expect(report.items.map(\.url) == ["http://192.168.1.30", "http://192.168.1.31"])
            #expect(network.resolved.withLock { $0 } == ["attic.local"])
        }
    }

    @Test func searchesOnlyWhereItsOwnerSaysSo() throws {
        try live { _, network, internet, finder in
            internet.add(Dashboard("the barn", token: Self.token), at: "barn.local")
            network.announce("attic", "192.168.1.20")
            let report = try await finder.report(try Self.read("{\"feeds\":[\(Self.peer)]}"))
            #expect(report.search == .off)
            #expect(report.items.map(\.name) == ["the barn"])
            #expect(network.count.withLock { $0 } == 0)
        }
    }

    @Test func saysWhyASearchBroughtNothing() throws {
        try live { clock, network, _, finder in
            let configuration = try Self.read("{\"stations\":{\"find\":true}}")
            network.failure.withLock { $0 = .noProgram }
            #expect(try await finder.report(configuration) == StationsReport(.noProgram))
            network.failure.withLock { $0 = .failed("no avahi-daemon") }
            try await clock.sleep(for: .seconds(11))
            let report = try await finder.report(configuration)
            #expect(report == StationsReport(.failed, why: "no avahi-daemon"))
        }
    }

    @Test func strangersOnTheNetworkHaveABound() throws {
        try live { _, network, internet, finder in
            for number in 0..<40 {
                network.announce("s\(number)", "192.168.1.20", port: 1_000 + number)
            }
            internet.set(.silent, at: "192.168.1.20:1000")
            let report = try await finder.report(try Self.read("{\"stations\":{}}"))
            #expect(report.items.count == StationsReport.stationsMax)
            #expect(report.omittedCount == 24)
        }
    }

    /// Takes five seconds for each answer, and counts simultaneous requests.
    private final class Tarpit: SimulatedServer {
        let clock: SimulatedClock
        let open = Mutex((now: 0, most: 0))

        init(_ clock: SimulatedClock) { self.clock = clock }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            open.withLock { open in
                open.now += 1
                open.most = max(open.most, open.now)
            }
            _ = try? await clock.sleep(for: .seconds(5))
            open.withLock { $0.now -= 1 }
            return OutboundAnswer(500)
        }
    }

    @Test func falseStationsLeaveConnectionsAndTimeToTheOthers() throws {
        try live { clock, network, internet, finder in
            let tarpit = Tarpit(clock)
            internet.add(Dashboard("the barn", token: Self.token), at: "barn.local")
            internet.add(Dashboard("zoo"), at: "192.168.1.99")
            network.announce("zoo", "192.168.1.99")
            let configuration = try Self.read("{\"stations\":{},\"feeds\":[\(Self.peer)]}")
            _ = try await finder.report(configuration)
            for number in 20..<34 {
                internet.add(tarpit, at: "192.168.1.\(number)")
                network.announce("a\(number)", "192.168.1.\(number)")
            }
            try await clock.sleep(for: .seconds(11))
            let begun = clock.now
            let report = try await finder.report(configuration)
            #expect(begun.duration(to: clock.now) <= .seconds(30))
            #expect(tarpit.open.withLock { $0.most } == 2)
            #expect(report.items.count == 16)
            let answering = report.items.filter { $0.state == .answers }.map(\.name)
            #expect(Set(answering) == ["the barn", "zoo"])
            #expect(report.items.contains { $0.why?.contains("was not asked") == true })
        }
    }

    @Test func anotherAnswerIsNoStation() throws {
        try live { _, network, internet, finder in
            struct Router: SimulatedServer {
                func answer(_ request: OutboundRequest) async -> OutboundAnswer {
                    OutboundAnswer(200, text: "<html>Log in")
                }
            }
            internet.add(Router(), at: "192.168.1.1")
            network.announce("router", "192.168.1.1")
            let report = try await finder.report(try Self.read("{\"stations\":{}}"))
            #expect(report.items.map(\.state) == [.foreign])
        }
    }

    @Test(arguments: [
        ("http://attic.local", true), ("http://ATTIC.local:80/", true),
        ("http://192.168.1.20", true), ("https://attic.local", true),
        ("http://attic.local:8080", false), ("http://attic.local.example", false),
        ("http://192.168.1.2", false),
    ])
    func aFeedNamesTheStationAtItsAddress(_ url: String, _ isAt: Bool) {
        let service = NetworkService(
            name: "Roost on attic",
            host: "attic.local",
            port: 80,
            addresses: ["192.168.1.20"]
        )
        #expect(StationFinder.isAt(url, service) == isAt)
    }
}

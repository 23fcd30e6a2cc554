import ControlProtocol
import Core
import Logging
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import StoreQueries

@Suite struct NearbyFinderTests {
    /// A network with the output of avahi-browse for each type.
    private final class Network: StationBrowser {
        let lines = Mutex<[String: String]>([:])
        let failure = Mutex<StationSearchError?>(nil)
        let asked = Mutex<[String]>([])

        func browse(_ type: String) async throws -> StationSearch {
            asked.withLock { $0.append(type) }
            if let failure = failure.withLock({ $0 }) { throw failure }
            return StationSearch(
                Array(lines.withLock { $0.values.joined() }.utf8),
                ownAddresses: ["127.0.0.1", "192.168.1.2"]
            )
        }

        func resolve(_ hosts: [String]) async throws -> [UInt8] {
            Array(hosts.map { "\($0)\t192.168.1.30\n" }.joined().utf8)
        }

        func announce(_ name: String, _ type: String, _ address: String, port: Int) {
            let line = "=;eth0;IPv4;\(name);\(type);local;host.local;\(address);\(port);\n"
            lines.withLock { $0[type, default: ""] += line }
        }
    }

    private func live(
        _ body: @escaping @Sendable (Network, NearbyFinder) async throws -> Void
    ) throws {
        try simulate { clock in
            let station = try ScriptedStation(clock)
            var world = CourierDependencies(
                link: station,
                history: HistoryDisk(on: station),
                secrets: CourierLife.Secrets(),
                clock: clock,
                logger: Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
            ) { _ in SimulatedInternet(clock: clock) }
            let network = Network()
            world.stations = network
            try await body(network, NearbyFinder(world))
        }
    }

    @Test func listsEachKindWithTheAddressOfItsBroker() throws {
        try live { network, finder in
            network.announce("open", "_mqtt._tcp", "192.168.1.20", port: 1_884)
            network.announce("safe", "_secure-mqtt._tcp", "192.168.1.21", port: 8_883)
            network.announce("Home", "_home-assistant._tcp", "192.168.1.22", port: 8_123)
            network.announce("other", "_http._tcp", "192.168.1.23", port: 80)
            let report = try await finder.report()
            #expect(report.search == .done && report.omittedCount == 0)
            #expect(report.items.map(\.kind) == [.homeAssistant, .encryptedBroker, .broker])
            #expect(report.items.map(\.name) == ["Home", "safe", "open"])
            #expect(
                report.items.map(\.url) == [
                    "mqtt://192.168.1.22:1883", "mqtts://192.168.1.21:8883",
                    "mqtt://192.168.1.20:1884",
                ]
            )
            #expect(report.items.allSatisfy { !$0.isLocal && $0.host == "host.local" })
            let types = Set(network.asked.withLock { $0 })
            #expect(types == ["_home-assistant._tcp", "_mqtt._tcp", "_secure-mqtt._tcp"])
        }
    }

    /// Every offer is an option `url` that the reader of targets accepts.
    @Test func anOfferIsATarget() throws {
        try live { network, finder in
            network.announce("own", "_mqtt._tcp", "192.168.1.2", port: 1_883)
            network.announce("safe", "_secure-mqtt._tcp", "fe80::7", port: 8_883)
            let items = try await finder.report().items
            #expect(items.map(\.url) == ["mqtts://192.168.1.30:8883", "mqtt://127.0.0.1:1883"])
            #expect(items.map(\.isLocal) == [false, true])
            for server in items {
                let local = server.isLocal
                let text = """
                    {"targets":[{"id":"a","type":"mqtt","url":"\(server.url)","local":\(local)}]}
                    """
                _ = try CourierConfiguration(Array(text.utf8), file: "courier.json")
            }
        }
    }

    @Test func aBrokerOfAHomeAssistantIsListedOnce() throws {
        try live { network, finder in
            network.announce("Home", "_home-assistant._tcp", "192.168.1.22", port: 8_123)
            network.announce("mosquitto", "_mqtt._tcp", "192.168.1.22", port: 1_883)
            let report = try await finder.report()
            #expect(report.items.map(\.name) == ["Home"])
        }
    }

    @Test func aNetworkFullOfBrokersHasABound() throws {
        try live { network, finder in
            for number in 1...40 {
                network.announce("b\(number)", "_mqtt._tcp", "10.0.0.\(number)", port: 1_883)
            }
            let report = try await finder.report()
            #expect(report.items.count == NearbyReport.serversMax && report.omittedCount == 24)
        }
    }

    @Test func aSearchThatCannotBeMadeIsSaidSo() throws {
        try live { network, finder in
            let failed = NearbyReport(.failed, why: "no daemon")
            let answers: [(StationSearchError?, NearbyReport)] = [
                (.noProgram, NearbyReport(.noProgram)), (.failed("no daemon"), failed),
                (nil, NearbyReport(.done)),
            ]
            for (failure, expected) in answers {
                network.failure.withLock { $0 = failure }
                let report = try await finder.report()
                #expect(report == expected)
            }
        }
    }
}

import Configuration
import ControlProtocol
import Core
import CourierSimulation
import HardwareIO
import Logging
import SimulationKit

@testable import Eyes
@testable import RoostCourier
@testable import Station

/// The questions for which the programs have handlers.
enum ServedQuestions {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The path of each socket, and the types of the questions that it answers.
    static func sockets() throws -> [(path: String, questions: [any Question.Type])] {
        let tables = try simulate { clock in (try station(clock), try courier(clock)) }
        let camera = QuestionTable(Nothing(), ring: "/ring")
        return [
            (StationConfiguration.defaultSocket, tables.0.questions),
            (StandardSocket.courier, tables.1.questions),
            (StandardSocket.camera, camera.questions),
        ]
    }

    private static func station(_ clock: SimulatedClock) throws -> QuestionTable {
        let text = #"{"name": "test", "mode": "normal", "devices": []}"#
        let dependencies = StationDependencies(
            platform: SimulatedPlatform(clock: clock),
            logger: logger,
            seed: 1,
            endProcess: { _ in }
        )
        let station = Station(
            try StationConfiguration.read(Array(text.utf8), file: "test"),
            in: dependencies
        )
        return ControlAnswers(station: station.state).table(ControlRights())
    }

    private static func courier(_ clock: SimulatedClock) throws -> QuestionTable {
        let dependencies = CourierDependencies(
            link: QuestionTable("no station", users: LocalUsers()),
            history: HistoryDisk(on: Nothing()),
            secrets: Nothing(),
            clock: clock,
            logger: logger
        ) { _ in SimulatedInternet(clock: clock) }
        let node = CourierNode(
            try CourierConfiguration(Array("{}".utf8), file: "courier.json"),
            file: "courier.json",
            in: dependencies
        )
        return CourierQuestions(node: node).table(for: LocalUsers())
    }

    /// The world of programs that are made and not run: it is never asked.
    private struct Nothing: DiskWork, EyesService, SecretSource {
        func run<Value: Sendable>(
            _ body: @escaping @Sendable () throws -> Value
        ) async throws -> Value { try body() }

        func secret(_ name: SecretName) throws(SecretError) -> Secret {
            throw SecretError(name, "there are none")
        }

        func report() async -> EyesReport {
            EyesReport(
                version: "",
                processID: 0,
                uptimeSeconds: 0,
                ring: ("", 0, 0),
                retentionDays: 1
            )
        }

        func delete(_ pictures: PictureChoice) async throws -> Int { 0 }
    }
}

import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct ExportedEntriesTests {
    @Test func anEntryOfThePageBecomesOneOfTheFileWithoutItsSecret() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                let entry = #"""
                    {"type":"influx1","url":"http://192.168.1.5:8086","database":"air","user":"u"}
                    """#
                let question = ConfigureEntry(
                    "own",
                    in: .targets,
                    entry,
                    secrets: ["password": "hunter2"]
                )
                _ = try await CourierLife.ask(node, question)
                let file = try await CourierLife.ask(node, ExportSettings())
                #expect(file.name == "courier.json" && file.leftOut.isEmpty)
                #expect(!file.content.contains("hunter2"))
                #expect(file.secrets.contains("own-password"))
                let read = try CourierConfiguration(
                    Array(file.content.utf8),
                    file: "courier.json"
                )
                let before = await node.settings.merged.configuration
                #expect(Set(read.entries.map(\.id)) == Set(before.entries.map(\.id)))
                #expect(read.network == before.network && read.secrets.count == file.secrets.count)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aProxysPasswordStaysHere() throws {
        let text = #"{"network": {"proxy": "http://me:hunter2@proxy.example:3128"}}"#
        let read = try CourierConfiguration(Array(text.utf8), file: "courier.json")
        let exported = try ExportedEntries(
            read.source,
            CourierOverlay(),
            leftOut: [.init(id: "x", sentence: "is wrong")],
            .shipped
        )
        #expect(!exported.file.content.contains("hunter2"))
        #expect(exported.file.leftOut.count == 2)
    }
}

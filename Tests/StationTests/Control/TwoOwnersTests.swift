import ControlProtocol
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct TwoOwnersTests {
    /// Undo of one owner, after another one changed the same.
    @Test func undoOverwritesNothingOfAnotherOwner() throws {
        let folder = try TestFolder(isInMemory: true)
        let text = """
            {"mode": "live", "devices": [],
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """
        try simulate { clock in
            let test = try TestStation(clock, text)
            try await test.run { test in
                try await test.sleep(.seconds(5))
                func set(_ title: String, _ tag: String?, _ person: String) async throws
                    -> ControlAnswer<SettingsReport>
                {
                    let patch = title.isEmpty ? #"{"title":null}"# : #"{"title":"\#(title)"}"#
                    return try await test.ask(ChangeSettings(patch, tag: tag), for: person)
                }
                let usual = test.station.status.name
                let first = try await test.ask(GetSettings()).body?.tag
                let anna = try await set("Anna's", first, "Anna").body?.tag
                #expect(anna != nil && anna != first)
                let ben = try await set("Ben's", anna, "Ben").body?.tag
                let undo = try await set("", anna, "Anna")
                #expect(undo.error?.code == .precondition)
                #expect(undo.error?.message.contains("meanwhile") == true)
                #expect(test.station.status.name == "Ben's")
                #expect(try await set("", ben, "Ben").error == nil)
                #expect(test.station.status.name == usual)
            }
        }
    }
}

import ControlProtocol
import Core
import Testing

@testable import RoostWeb

@Suite struct SettingsViewTests {
    private static let own = "https://a.org/{z}/{x}/{y}.png"

    private static func view(tiles: TileServer?) -> SettingsView {
        let settings = ["tiles", "title"].map { key in
            SettingReport(key: key, title: key, description: "", value: own, origin: .ui)
        }
        let report = SettingsReport(tag: "a", settings: settings)
        return SettingsView(report, machineZone: "UTC", tiles: tiles)
    }

    /// An option of the program counts as the file of a person with an editor does.
    @Test func anOptionFixesTheServerOfMapPictures() throws {
        let open = Self.view(tiles: nil)
        #expect(open.values["tiles"] == Self.own && open.origins["tiles"] == .ui)
        let other = "https://b.org/{z}/{x}/{y}.png"
        let fixed = Self.view(tiles: try TileServer(other))
        #expect(fixed.values["tiles"] == other && fixed.origins["tiles"] == .file)
        #expect(fixed.schema.properties["tiles"]?.readOnly == true)
        #expect(fixed.values["title"] == Self.own && fixed.origins["title"] == .ui)
    }
}

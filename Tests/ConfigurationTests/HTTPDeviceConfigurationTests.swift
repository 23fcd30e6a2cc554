import Configuration
import Profiles
import Testing

@testable import HardwareIO

@Suite struct HTTPDeviceConfigurationTests {
    private func problems(_ device: String) -> [String] {
        let text = #"{"devices": [{"name": "m", "type": "milano-board"\#(device)}]}"#
        do throws(ConfigurationError) {
            _ = try StationConfiguration.read(Array(text.utf8), file: "roost.json")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test(arguments: [
        ("", "devices[0].address: is missing"),
        (
            #", "address": "https://10.0.0.1/""#,
            #"devices[0].address: expected http://name:port/path, found "https://10.0.0.1/""#
        ),
        (
            #", "address": "http://anna:secret@10.0.0.1/""#,
            "devices[0].address: an address holds no name and password"
        ),
        (
            #", "address": "http://8.8.8.8/""#,
            "devices[0].address: 8.8.8.8 is not on the local network, and no other is asked"
        ),
        (
            #", "address": "http://board/", "intervalSeconds": 0.5"#,
            "devices[0].intervalSeconds: expected a number 1…3600, found 0.5"
        ),
        (
            #", "address": "http://board/", "adress": 1"#,
            "devices[0].adress: unknown key; did you mean address?"
        ),
    ])
    func saysWhatIsWrongWithItsEntry(device: String, problem: String) {
        #expect(problems(device) == [problem])
    }

    @Test func takesTheIntervalOfItsProfileUnlessTold() throws {
        let text = #"{"devices": [{"name": "m", "type": "milano-board", "address": "http://b"}]}"#
        let device = try StationConfiguration.read(Array(text.utf8), file: "f").devices[0]
        guard case .http(let board) = device.kind else {
            Issue.record("not a board")
            return
        }
        #expect(board.interval == .seconds(5) && board.target.description == "http://b/")
        #expect(device.sampleInterval(isContinuous: false) == .seconds(5))
        #expect(device.ageLimit(isContinuous: true) == .seconds(27))
    }

    @Test func refusesTwoDevicesAtOneAddress() {
        let entry = #"{"name": "NAME", "type": "milano-board", "address": "http://b:80"}"#
        let entries = ["a", "b"].map { name in
            entry.split(separator: "NAME").joined(separator: name)
        }
        do throws(ConfigurationError) {
            let text = #"{"devices": [\#(entries.joined(separator: ","))]}"#
            _ = try StationConfiguration.read(Array(text.utf8), file: "f")
            Issue.record("was accepted")
        } catch {
            #expect(
                error.problems.map(\.description) == [
                    "devices[1].address: is the address of devices[0] too"
                ]
            )
        }
    }
}

import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier

@Suite struct BareHostTests {
    private static var bare: BareHost {
        BareHost(example: "host:1883") { $0 == "8883" ? "mqtts" : "mqtt" }
    }

    @Test(arguments: [
        ("192.168.1.5", "mqtt://192.168.1.5"), ("broker.local:1884", "mqtt://broker.local:1884"),
        ("broker:8883", "mqtts://broker:8883"), ("[fd00::5]", "mqtt://[fd00::5]"),
        ("[fd00::5]:8883", "mqtts://[fd00::5]:8883"), ("mqtt://b", nil), ("b/c", nil), ("", nil),
        ("u:p@b", nil), ("a b", nil),
    ])
    func aHostAloneIsAnAddress(text: String, url: String?) {
        #expect(Self.bare.url(text) == url)
    }

    /// The error has an address as an example, and a host alone is read as the file has it.
    @Test(arguments: [
        ("http://b", "such as 192.168.1.5:1883"), ("b:99999", "port of 1 to 65535"),
        ("127.0.0.1", "is this computer"), ("b:1883", nil),
    ])
    func aBrokerNeedsNoScheme(url: String, words: String?) {
        let text = #"{"targets":[{"id":"a","type":"mqtt","url":"\#(url)"}]}"#
        let error: ConfigurationError?
        do throws(ConfigurationError) {
            _ = try CourierConfiguration(Array(text.utf8), file: "courier.json")
            error = nil
        } catch let problem { error = problem }
        #expect((error == nil) == (words == nil))
        #expect(words.map { "\(error?.problems ?? [])".contains($0) } ?? true)
    }
}

import Core
import Profiles
import RoostCourier
import SimulationKit
import StoreQueries
import Testing

@Suite struct CourierConfigurationTests {
    /// Secrets of a test, by name.
    private struct Secrets: SecretSource {
        func secret(_ name: SecretName) throws(SecretError) -> Secret {
            guard name.text != "lacking" else {
                throw SecretError(
                    name,
                    "no secret lacking: store it with `roost secret set lacking`"
                )
            }
            return Secret("value of \(name)")
        }
    }

    private func read(_ text: String) throws -> CourierConfiguration {
        try CourierConfiguration(Array(text.utf8), file: "courier.json")
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(\.description)
        } catch { return ["\(error)"] }
    }

    private static let whole = """
        { "network": { "metered": "auto" },
          "targets": [
            { "id": "influx", "type": "influx2", "url": "http://192.168.1.5:8086", "org": "home",
              "bucket": "air", "token": { "secret": "influx" }, "batchSeconds": 60 },
            { "id": "hook", "type": "webhook", "url": { "secret": "hook-url" }, "backlog": "none",
              "streams": ["*/pm25"], "signature": { "secret": "hook-key" } } ],
          "receivers": [
            { "id": "phone", "type": "ntfy", "topic": { "secret": "topic" }, "everySeconds": 600,
              "severities": ["critical"], "quiet": { "from": "22:30", "to": "07:00" } } ],
          "leave": { "channels": ["door/*"] } }
        """

    @Test func readsTargetsAndReceivers() throws {
        let configuration = try read(Self.whole)
        #expect(configuration.targets.map(\.id) == ["influx", "hook"])
        #expect(configuration.targets[0].common.liveInterval == .seconds(60))
        #expect(configuration.targets[1].common.hasBacklog == false)
        #expect(configuration.secrets.map(\.text) == ["hook-key", "hook-url", "influx", "topic"])
        let phone = try #require(configuration.receivers.first)
        #expect(phone.common.severities == [.critical])
        let quiet = try #require(phone.common.quiet)
        #expect(quiet.contains(23 * 60) && quiet.contains(6 * 60) && !quiet.contains(12 * 60))
        #expect(configuration.left == ["door/*"])
    }

    @Test func makesTargetsOfItsEntries() throws {
        let configuration = try read(Self.whole)
        try simulate { clock in
            let materials = TargetMaterials(
                secrets: Secrets(),
                station: StationIdentity(id: "7f3a21c9d0e4", name: "b", model: "Pi", version: "1"),
                clock: clock,
                zone: .utc
            )
            for entry in configuration.targets {
                guard case .samples(let target) = try entry.make(materials) else {
                    Issue.record("\(entry.id) takes no samples")
                    continue
                }
                #expect(entry.traits(target.traits).itemLimit >= 500)
            }
            for entry in configuration.receivers { _ = try entry.make(materials) }
        }
    }

    @Test(arguments: [
        ("[]", "expected an object"),
        ("{", "it ends in the middle"),
        (#"{"targets":[{"id":"a","type":"influx9"}]}"#, "did you mean influx"),
        (#"{"targets":[{"id":"A b","type":"webhook","url":"http://a"}]}"#, "1 to 32 of"),
        (#"{"targets":[{"id":"a","type":"webhook","url":"ftp://a"}]}"#, "https://HOST"),
        (#"{"targets":[{"id":"a","type":"webhook","url":"http://u:p@a"}]}"#, "as secrets"),
        (
            #"{"targets":[{"id":"a","type":"webhook","url":"http://a","signature":"hush"}]}"#,
            "roost secret set"
        ),
        (#"{"targets":[{"id":"a","type":"webhook","url":"http://a","strems":[]}]}"#, "streams"),
        (
            #"{"targets":[{"id":"a","type":"webhook","url":"http://a"},"#
                + #"{"id":"a","type":"webhook","url":"http://b"}]}"#,
            "is there twice"
        ),
        (#"{"receivers":[{"id":"p","type":"ntfi","topic":"x"}]}"#, "ntfy"),
        (#"{"receivers":[{"id":"p","type":"ntfy"}]}"#, "is missing"),
        (#"{"network":{"metered":"perhaps"}}"#, "auto, yes, no"),
    ])
    func namesMistakes(text: String, words: String) {
        let found = problems(text)
        #expect(found.contains { $0.contains(words) }, "\(found)")
        #expect(!found.contains { $0.contains("hush") })
    }

    @Test func survivesWhatIsNoConfiguration() {
        var random = SplitMix64(seed: 16)
        let whole = Array(Self.whole.utf8)
        for _ in 0..<400 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            }
            _ = try? CourierConfiguration(bytes, file: "courier.json")
        }
    }
}

import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier
@testable import StoreQueries

@Suite struct CourierConfigurationTests {
    /// Secrets of a test, by name.
    private struct Secrets: SecretSource {
        var known: [String: Secret] = [:]

        func secret(_ name: SecretName) throws(SecretError) -> Secret {
            guard name.text != "lacking" else {
                throw SecretError(
                    name,
                    "no secret lacking: store it with `roost secret set lacking`"
                )
            }
            return known[name.text] ?? Secret("value of \(name)")
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

    private static let box = #""box":"5f1aaaaaaaaaaaaaaaaaaaa0","token":{"secret":"t"}"#
    private static let community = """
        { "targets": [
            { "id": "map", "type": "sensor-community", "sensor": "raspi-0123",
              "devices": { "dust": { "pin": 1 }, "air": { "pin": 11 } }, "metered": true },
            { "id": "graphs", "type": "madavi", "sensor": { "secret": "node" }, "device": "dust" },
            { "id": "box", "type": "opensensemap", \(box), "since": "2026-01-01T00:00:00Z",
              "sensors": { "dust/pm25": "5f1aaaaaaaaaaaaaaaaaaaa1" } },
            { "id": "rays", "type": "safecast", "apiKey": { "secret": "cast" }, "device": "geiger",
              "deviceID": 7, "trust": "/etc/roost/ca.pem",
              "place": { "latitude": 46.0671, "longitude": -11.1211, "height": 2 } },
            { "id": "alive", "type": "heartbeat", "url": { "secret": "check" },
              "everySeconds": 600 } ],
          "receivers": [
            { "id": "mail", "type": "smtp", "url": "smtps://mail.example.org",
              "from": "roost@example.org", "to": ["ann@example.org", "bo@example.org"],
              "user": "roost", "password": { "secret": "smtp" } } ] }
        """

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

    private func materials(
        _ clock: SimulatedClock,
        _ secrets: [String: Secret] = [:]
    ) -> TargetDependencies {
        TargetDependencies(
            secrets: Secrets(known: secrets),
            station: StationIdentity(id: "7f3a21c9d0e4", name: "b", model: "Pi", version: "1"),
            clock: clock,
            zone: .utc
        )
    }

    @Test func makesTargetsOfItsEntries() throws {
        let configuration = try read(Self.whole)
        try simulate { clock in
            let materials = materials(clock)
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

    @Test func makesTargetsOfServices() throws {
        let configuration = try read(Self.community)
        let names = configuration.secrets.map(\.text)
        #expect(names == ["cast", "check", "node", "smtp", "t"])
        #expect(configuration.receivers.first?.common.every == .seconds(3_600))
        let batch = TargetFixture.batch(TargetFixture.dust())
        let rays = TargetFixture.sample(0, "geiger", [(.countRate, .value(34))])
        try simulate { clock in
            let materials = materials(clock)
            var requests: [OutboundRequest] = []
            for entry in configuration.targets {
                switch try entry.make(materials) {
                case .samples(let target as SensorCommunityTarget):
                    requests.append(target.request(batch, "dust"))
                case .samples(let target as MadaviTarget): requests.append(target.request(batch))
                case .samples(let target as OpenSenseMapTarget):
                    requests.append(target.request(batch))
                    let old = TargetFixture.dust(-100_000)
                    #expect(target.leavesOut(old) == .tooOld)
                case .samples(let target as SafecastTarget):
                    requests.append(try #require(target.request(rays)))
                case .heartbeat(let target):
                    #expect(target.period == .seconds(600))
                    requests.append(try #require(target.request(.alive("2 devices"))))
                default: Issue.record("\(entry.id) is something else")
                }
            }
            #expect(
                requests.map { $0.field("x-sensor") }.prefix(2) == ["raspi-0123", "value of node"]
            )
            #expect(requests[0].field("x-pin") == "1")
            #expect(requests[2].text.contains("5f1aaaaaaaaaaaaaaaaaaaa1"))
            #expect(requests[2].path == "/boxes/5f1aaaaaaaaaaaaaaaaaaaa0/data")
            #expect(requests[3].query["api_key"] == "value of cast")
            let place = #""latitude":46.0671,"longitude":-11.1211"#
            #expect(requests[3].text.contains(place))
            #expect(requests[3].text.contains(#""device_id":7,"height":2"#))
            #expect(requests[3].trust == .authority(path: "/etc/roost/ca.pem"))
            #expect(requests[4].url.revealed == "value of check")
            for request in requests { #expect(!request.dryRun.contains("value of")) }
            for entry in configuration.receivers {
                #expect(try entry.make(materials) is MailReceiver)
            }
        }
    }

    @Test(arguments: [
        (#""type":"sensor-community","sensor":"raspi-1","devices":{}"#, "1 to 64 entries"),
        (#""type":"sensor-community","sensor":"r","devices":{"dust":{}}"#, "devices.dust.pin"),
        (
            #""type":"sensor-community","sensor":"r","devices":{"dust":{"pin":1.5}}"#,
            "expected a whole number"
        ),
        (#""type":"madavi","device":"r""#, "sensor: is missing"),
        (#""type":"opensensemap","box":"b","token":{"secret":"t"}"#, "24 hexadecimal"),
        (#""type":"opensensemap",\#(box),"sensors":{"dust":"x"}"#, "a channel like sds011/pm25"),
        (#""type":"opensensemap",\#(box),"sensors":{"dust/pm25":"x"}"#, "the sensor's id, 24"),
        (#""type":"opensensemap",\#(box),"since":"spring""#, "expected a time like"),
        (#""type":"safecast","apiKey":"hush""#, "roost secret set"),
        (#""type":"safecast","apiKey":{"secret":"k"},"device":"g""#, "place: is missing"),
        (
            #""type":"safecast","device":"g","place":{"latitude":91}"#,
            "expected a number -90…90, found 91"
        ),
        (#""type":"heartbeat","url":"http://a","everySeconds":5"#, "60…86400"),
        (#""type":"sensor-comunity""#, "did you mean sensor-community"),
        (#""type":"heartbeat","url":"https://a:0/""#, "expected a port of 1 to 65535, found 0"),
        (#""type":"heartbeat","url":"https://[::2]:x""#, "expected a port of 1 to 65535, found x"),
        (#""type":"heartbeat","url":"http://127.0.0.1/""#, #"that needs "local": true"#),
        (#""type":"heartbeat","url":"http://[::1]:80/""#, #"that needs "local": true"#),
        (#""type":"heartbeat","url":"http://a","streams":["dust"]"#, "expected device/quantity"),
    ])
    func namesMistakesOfServices(text: String, words: String) {
        let found = problems("{\"targets\":[{\"id\":\"a\",\(text)}]}")
        #expect(found.contains { $0.contains(words) }, "\(found)")
        #expect(!found.contains { $0.contains("hush") })
    }

    private static let files = """
        { "targets": [
            { "id": "google", "type": "gcs", "bucket": "air", "account": { "secret": "gcs.json" },
              "periods": ["daily", "hourly"], "names": "iso", "folder": "air/balcony" },
            { "id": "amazon", "type": "s3", "bucket": "air", "region": "eu-central-1",
              "accessKey": "AKID", "secretKey": { "secret": "key" }, "maxAgeSeconds": 86400 },
            { "id": "cloud", "type": "webdav", "url": "https://cloud.example.org/dav/ann",
              "user": "ann", "password": { "secret": "app" }, "backlog": "none" } ] }
        """

    @Test func makesTargetsOfFiles() throws {
        let configuration = try read(Self.files)
        try simulate { clock in
            var works: [FileWork] = []
            for entry in configuration.targets {
                let secrets = entry.id == "google" ? ["gcs.json": FileTargetTests.account] : [:]
                guard case .files(let work) = try entry.make(materials(clock, secrets)) else {
                    Issue.record("\(entry.id) takes no files")
                    continue
                }
                works.append(work)
            }
            #expect(works[0].target is GoogleStorageTarget)
            #expect(works[0].periods == [.hourly, .daily] && works[0].naming == .iso)
            #expect(works[0].prefix == "air/balcony/")
            let store = try #require(works[1].target as? ObjectStoreTarget)
            let url = store.upload(try await FileTargetTests.file(path: "a.csv")).url.revealed
            #expect(url == "https://air.s3.eu-central-1.amazonaws.com/a.csv")
            #expect(works[1].periods == FilePeriod.allCases && works[1].naming == .seed)
            #expect(works[1].ageLimit == .seconds(86_400) && works[1].hasBacklog)
            #expect(works[2].target is WebDAVTarget && !works[2].hasBacklog)
            // A secret that is no account is named, and not shown.
            let error = #expect(throws: SecretError.self) {
                try configuration.targets[0].make(materials(clock))
            }
            #expect(error?.description.contains("gcs.json") == true)
            #expect(error?.description.contains("value of") == false)
        }
    }

    @Test(arguments: [
        (#""type":"gcs","bucket":"b","account":"hush""#, "roost secret set"),
        (#""type":"s3","bucket":"b","accessKey":"a","secretKey":{"secret":"k"}"#, "region: is"),
        (#""type":"s3","bucket":"../x","region":"r""#, "expected a bucket's name"),
        (#""type":"gcs","bucket":"-ab""#, "expected a bucket's name"),
        (#""type":"webdav","url":"https://a","user":"u""#, "password: is missing"),
        (#""type":"webdav","url":"https://a","periods":["yearly"]"#, "found \"yearly\""),
        (#""type":"webdav","url":"https://a","periods":[]"#, "at least one of hourly"),
        (#""type":"webdav","url":"https://a","names":"mine""#, "one of seed, iso"),
        (#""type":"webdav","url":"https://a","folder":"../x""#, "a path like air/balcony"),
        (#""type":"webdav","url":"https://a","folder":"x/""#, "a path like air/balcony"),
    ])
    func namesMistakesOfFiles(text: String, words: String) {
        let found = problems("{\"targets\":[{\"id\":\"a\",\(text)}]}")
        #expect(found.contains { $0.contains(words) }, "\(found)")
        #expect(!found.contains { $0.contains("hush") })
    }

    @Test func namesAllMistakesOfAMailAtOnce() {
        let found = problems(
            #"{"receivers":[{"id":"m","type":"smtp","url":"http://a","from":"Ann <a@b>","#
                + #""to":["x"],"user":"u","allowPlain":true}]}"#
        )
        let places = ["url", "from", "to", "password"].map { "receivers[0].\($0)" }
        for place in places { #expect(found.contains { $0.contains(place) }, "\(found)") }
        let plain = problems(
            #"{"receivers":[{"id":"m","type":"smtp","url":"smtp://a","from":"a@b","#
                + #""to":["x@y"],"user":"u","password":{"secret":"p"},"allowPlain":true}]}"#
        )
        #expect(plain.contains { $0.contains("for all to read") })
        let alone = problems(
            #"{"receivers":[{"id":"m","type":"smtp","url":"smtp://a","from":"a@b","to":[]}]}"#
        )
        #expect(alone.contains { $0.contains("1 to 10 addresses") }, "\(alone)")
    }

    @Test func makesATargetOfABroker() throws {
        let text = """
            { "targets": [ { "id": "ha", "type": "mqtt", "url": "mqtts://[fd00::5]:8884/",
              "user": "roost", "password": { "secret": "mqtt" }, "topic": "home/air",
              "homeAssistant": true, "discovery": "single", "prove": true,
              "clientID": "balcony" } ] }
            """
        let configuration = try read(text)
        #expect(configuration.secrets.map(\.text) == ["mqtt"])
        try simulate { clock in
            let materials = materials(clock)
            guard case .broker(let target) = try configuration.targets[0].make(materials) else {
                Issue.record("no broker")
                return
            }
            let broker = target.settings.broker
            #expect(broker.host == "fd00::5" && broker.port == 8_884 && broker.isEncrypted)
            #expect(broker.clientID == "balcony" && broker.user == "roost")
            #expect(broker.password?.reveal() == "value of mqtt")
            #expect(broker.will?.topic == "home/air/7f3a21c9d0e4/status")
            #expect(target.settings.proves && !target.settings.payloads.isByDevice)
        }
    }

    @Test(arguments: [
        ("[]", "expected an object"),
        ("{", "it ends in the middle"),
        (#"{"targets":[{"id":"a","type":"mqtt","url":"http://b"}]}"#, "expected mqtt://HOST"),
        (#"{"targets":[{"id":"a","type":"mqtt","url":"mqtt://b:99999"}]}"#, "port of 1 to 65535"),
        (#"{"targets":[{"id":"a","type":"mqtt","url":"mqtt://b/c"}]}"#, "mqtt://HOST:PORT"),
        (#"{"leave":{"channels":["dust"]}}"#, "all of a device is \"dust/*\""),
        (#"{"receivers":[{"id":"a","type":"ntfy","url":"ntfy.sh"}]}"#, "expected http://HOST"),
        (#"{"targets":[{"id":"a","type":"mqtt","url":"mqtt://b","topic":"a/#"}]}"#, "letters"),
        (
            #"{"targets":[{"id":"a","type":"mqtt","url":"mqtt://b","discovery":"all"}]}"#,
            "expected one of device, single"
        ),
        (#"{"targets":[{"id":"a","type":"mqtt","url":"mqtt://b","user":"u"}]}"#, "password"),
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
        for number in 0..<800 {
            let whole = Array((number % 2 == 0 ? Self.whole : Self.community).utf8)
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

    /// Forms that a person writes by mistake, and what `check` says of each.
    @Test(arguments: [
        [
            "targets",
            #""type":"influx2","url":"http://a/api/v2/write","org":"o","bucket":"b","token":{"#
                + #""secret":"t"}"#,
            "the server's address alone",
        ],
        [
            "targets",
            #""type":"influx1","url":"http://192.168.1.5:8086/write?db=air","database":"air""#,
            "the server's address alone",
        ],
        [
            "targets", #""type":"sensor-community","sensor":"00000000abcdef01""#,
            "raspi-00000000abcdef01",
        ],
        ["targets", #""type":"madavi","sensor":"0000000001""#, "raspi-0000000001"],
        ["targets", #""type":"ntfy","topic":{"secret":"t"}"#, "move it to `receivers`"],
        ["receivers", #""type":"influx1","database":"air""#, "move it to `targets`"],
        ["targets", #""type":"influx1","database":"a\u0007b""#, "expected a text on one line"],
        [
            "receivers",
            #""type":"ntfy","url":"https://ntfy.sh/air","topic":{"secret":"t"}"#,
            "the topic stands in `topic`",
        ],
        [
            "receivers", #""type":"ntfy","url":"https://ntfy.sh?a=b","topic":{"secret":"t"}"#,
            "without that part",
        ],
        ["targets", #""type":"webdav","url":"https://a.example/b?c=d""#, "without that part"],
    ])
    func wrongFormsAreNamed(form: [String]) {
        let text = "{\"\(form[0])\":[{\"id\":\"a\",\(form[1])}]}"
        do throws(ConfigurationError) {
            _ = try CourierConfiguration(Array(text.utf8), file: "courier.json")
            Issue.record("\(form[1]) is right")
        } catch {
            #expect("\(error)".contains(form[2]), "\(error)")
        }
    }

    @Test(arguments: [
        ("https://a", false), ("https://a/", false), ("https://a?b/c", false),
        ("https://a/?b/c", false), ("https://a#b/c", false), ("https://a/b?c", true),
    ])
    func aQueryIsNoPath(url: String, hasPath: Bool) {
        #expect(URLText.hasPath(url) == hasPath)
    }

    @Test func aDatabaseBelowAPathOfAProxyIsRight() throws {
        let text = """
            {"targets":[{"id":"a","type":"influx1","database":"b",
             "url":"https://home.example/influx/"}]}
            """
        #expect(try CourierConfiguration(Array(text.utf8), file: "c").targets.count == 1)
    }
}

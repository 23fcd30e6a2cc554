import Core
import HardwareIO
import Testing

@testable import Profiles

@Suite struct ProfileReaderTests {
    @Test func readsEveryPart() throws {
        let profile = try ProfileReader().read(
            Array(ProfileSample.text.utf8),
            file: "/etc/roost/profiles.d/my-meter.json"
        )
        #expect(profile.id == "my-meter")
        #expect(profile.kind == .usbSerial)
        #expect(profile.driver == "line")
        let match = ProfileMatch(
            vendorID: "1a86",
            productID: "7523",
            serial: "A*",
            interface: "00"
        )
        #expect(profile.matches == [match])
        let probe = ProbeRules(
            bauds: [9_600, 19_200],
            streams: true,
            mayAsk: false,
            listen: .seconds(5)
        )
        #expect(profile.probe == probe)
        #expect(profile.channels.map(\.quantity.name) == ["pm25", "pm10"])
        #expect(profile.channels.map(\.shown) == ["line", "steps"])
        #expect(profile.channels[1].range == 0...1_999.9)
        #expect(profile.duty?.warmUp == .seconds(25))
        #expect(profile.rule == RuleProfile(group: "dialout"))
        #expect(profile.origin == "/etc/roost/profiles.d/my-meter.json")
        #expect(profile.sources == ["Its maker"])
        #expect(profile.graph != nil)
    }

    @Test(
        "Names the place, the reason and what was meant",
        arguments: [
            (
                #""id": "my-meter""#, #""id": "my_meter""#,
                """
                id: expected lower-case letters, digits and hyphens between them, found \
                \"my_meter\"; did you mean my-meter?
                """
            ),
            (
                #""id": "my-meter""#, #""id": "your-meter""#,
                """
                id: \"your-meter\" differs from the file's name my-meter.json; did you mean \
                my-meter?
                """
            ),
            (
                #""kind": "usb-serial""#, #""kind": "usb-seriel""#,
                """
                kind: expected one of usb-serial, gpio, bus, http, board, found \"usb-seriel\"; \
                did you mean usb-serial?
                """
            ),
            (
                #""description": "A meter.","#, #""desription": "A meter.","#,
                """
                description: is missing
                desription: unknown key; did you mean description?
                """
            ),
            (
                #""description": "A meter.","#, #""words": "A meter.","#,
                "words: is called description in a file of schemaVersion 2"
            ),
            (
                #""driver": "line""#, #""driver": "lines""#,
                """
                driver: \"lines\" is no driver; for kind usb-serial there are bgeigie-nano, \
                hpma115, line, mhz19b, nmea, plantower, sds011, sps30; did you mean line?
                """
            ),
            (#""driver": "line""#, #""driver": "pir""#, "driver: pir is for kind gpio"),
            (
                #""1a86""#, #""1A86""#,
                "match[0].vendorID: expected four of 0…9, a…f, found \"1A86\"; did you mean 1a86?"
            ),
            (
                #""1a86""#, #""0x1A86""#,
                "match[0].vendorID: expected four of 0…9, a…f, found \"0x1A86\"; did you mean 1a86?"
            ),
            (
                #""serial": "A*""#, #""serial": "A\"*""#,
                """
                match[0].serial: expected letters, digits, #+.:=@_- and * for any number of \
                characters, found \"A\"*\"
                """
            ),
            ("19200]", "19201]", "probe.bauds[1]: 19201 is no usual rate; did you mean 19200?"),
            ("19200]", "9600]", "probe.bauds[1]: 9600 is there already"),
            (
                #""listenSeconds": 5"#, #""listenSeconds": 3600"#,
                "probe.listenSeconds: expected a number 1…30, found 3600"
            ),
            (
                #""warmUpSeconds": 25"#, #""warmUpSeconds": 298"#,
                "duty.periodSeconds: is shorter than warm-up and window together"
            ),
            (
                #""warmUpSeconds": 25"#, #""warmUpSeconds": null"#,
                """
                duty.warmUpSeconds: is null; leave the key out instead\nduty.warmUpSeconds: is \
                missing
                """
            ),
            (
                #""name": "pm10""#, #""name": "pm25""#,
                "channels[1].name: pm25 is the name of channels[0] too"
            ),
            (
                #""name": "pm10""#, #""name": "PM-10""#,
                """
                channels[1].name: expected a lower-case letter, then lower-case letters, digits \
                and underscores, found \"PM-10\"; did you mean pm_10?
                """
            ),
            (
                "[0, 1999.9]", "[5, 5]",
                "channels[1].range: its lowest value is not below its highest"
            ),
            (
                "[0, 1999.9]", "[0, 1e300]",
                "channels[1].range: goes beyond a thousand million, which nothing measures"
            ),
            ("[0, 1999.9]", "[0]", "channels[1].range: expected two numbers as [lowest, highest]"),
            (
                #""decimals": 1, "range": [0, 1999.9]"#, #""decimals": 1.5, "range": [0, 1999.9]"#,
                "channels[1].decimals: expected a whole number 0…9, found 1.5"
            ),
            (
                #""steps""#, #""step""#,
                """
                channels[1].shown: expected one of line, steps, bar, none, found \"step\"; did \
                you mean steps?
                """
            ),
            (
                #""rule": {"group": "dialout"}"#, #""rule": {"group": "dialout\", RUN+=\"x"}"#,
                "rule.group: expected a group's name, found \"dialout\", RUN+=\"x\""
            ),
            (
                #""rule": {"group": "dialout"}"#, #""board": {}"#,
                "board: means nothing for kind usb-serial"
            ),
            (
                #""graph": {"version": 1, "nodes": []}"#, #""graph": 7"#,
                "graph: expected an object, found 7"
            ),
            (
                #""schemaVersion": 2"#, #""schemaVersion": 3"#,
                "schemaVersion: is 3; this Roost reads 1 to 2: update Roost"
            ),
            (
                #""name": "My meter""#, #""name": "My meter", "name": "x""#,
                "not JSON: key \"name\" for the second time in line 3, column 23"
            ),
        ]
    ) func namesMistakes(piece: String, other: String, expected: String) {
        let problems = ProfileSample.problems(replacing: piece, with: other)
        #expect(problems.joined(separator: "\n") == expected)
    }

    @Test func readsVersion1WhereTheDescriptionIsCalledWords() throws {
        let (text, old) = (ProfileSample.text, ProfileSample.oldText)
        let reader = ProfileReader()
        let file = ProfileSample.file
        let (new, read) = (
            try reader.read(Array(text.utf8), file: file),
            try reader.read(Array(old.utf8), file: file)
        )
        #expect(read == new)
        #expect(read.description == "A meter.")
        #expect(read.channels.map(\.description) == ["Dust.", "More dust."])
        let mixed = text.replacing(#""schemaVersion": 2"#, with: #""schemaVersion": 1"#)
        let place = "is called words in a file of schemaVersion 1"
        #expect(
            ProfileSample.problems(mixed).sorted() == [
                "channels[0].description: \(place)", "channels[1].description: \(place)",
                "description: \(place)",
            ]
        )
    }

    @Test(
        "Knows what is meant by a wrong unit",
        arguments: [
            ("ug/m3", "µg/m³"), ("μg/m³", "µg/m³"), ("C", "°C"), ("mbar", "hPa"), ("CPM", "cpm"),
            ("uSv/h", "µSv/h"), ("PPM", "ppm"), ("%RH", "%"),
        ]
    ) func suggestsUnits(wrong: String, right: String) {
        let problems = ProfileSample.problems(replacing: "µg/m³", with: wrong)
        let expected = "unit: \"\(wrong)\" is no known unit; did you mean \(right)?"
        #expect(problems == ["channels[0].\(expected)", "channels[1].\(expected)"])
    }

    @Test func saysAllMistakesOfAFileAtOnce() {
        let text = ProfileSample.text
            .replacing("7523", with: "75")
            .replacing("19200", with: "7")
            .replacing(#""decimals": 1"#, with: #""decimals": 12"#)
            .replacing(#""driver": "line""#, with: #""driver": "lime""#)
        let places = ProfileSample.problems(text).map { $0.prefix { $0 != ":" } }
        let expected = [
            "driver", "channels[0].decimals", "channels[1].decimals", "match[0].productID",
            "probe.bauds[1]",
        ]
        #expect(places.map(String.init) == expected)
    }

    @Test func refusesMoreThanItsBounds() {
        let channel =
            #"{"name": "x%", "unit": "m", "decimals": 0, "range": [0, 1], "description": "x"}"#
        func sample(_ count: Int) -> String {
            let all = (0..<count).map { channel.replacing("%", with: "\($0)") }
            let start = ProfileSample.text.firstRange(of: #""channels": ["#)
            let end = ProfileSample.text.firstRange(of: #""graph""#)
            guard let start, let end else { return "" }
            return ProfileSample.text[..<start.upperBound] + all.joined(separator: ",") + "], "
                + ProfileSample.text[end.lowerBound...]
        }
        #expect(ProfileSample.problems(sample(64)).isEmpty)
        let refusal = ["channels: expected at most 64 entries, found 65"]
        #expect(ProfileSample.problems(sample(65)) == refusal)
        let padding = String(repeating: " ", count: 256 << 10)
        #expect(ProfileSample.problems(ProfileSample.text + padding) == ["larger than 256 KiB"])
        let deep = String(repeating: "[", count: 100_000)
        #expect(ProfileSample.problems(deep).first?.contains("more than 64 levels") == true)
    }

    @Test func whatAFileSaysCannotForgeALineOrRunOn() {
        let key = #"\u001b[31m\n"# + String(repeating: "k", count: 9_000)
        let version = #""schemaVersion": 2"#
        let text = ProfileSample.text.replacing(version, with: #"\#(version), "\#(key)": 1"#)
        let problem = ProfileSample.problems(text).first ?? ""
        #expect(problem.hasPrefix("\\u{1b}[31m\\u{a}kkkk"))
        #expect(problem.count < 500)
    }

    @Test func listsSoManyMistakesAndSaysThatThereAreMore() {
        let keys = (0..<5_000).map { #""key\#($0)": 1"# }.joined(separator: ",")
        let text = ProfileSample.text.replacing(
            #""schemaVersion": 2"#,
            with: #""schemaVersion": 2, \#(keys)"#
        )
        let problems = ProfileSample.problems(text)
        #expect(problems.count == ProblemList.limit + 1)
        #expect(problems.last == "there are more mistakes than these")
    }

    @Test func comparesTheRestWithAChannelThatHasAMistake() {
        let reader = ProfileReader(
            settingsProblems: { profile in
                let names = profile.channels.map(\.quantity.name).joined(separator: " ")
                return [ConfigurationProblem(place: "settings", message: names)]
            },
            graphProblems: { _, _ in [ConfigurationProblem(place: "", message: "asked")] }
        )
        let text = ProfileSample.text.replacing(#""decimals": 1"#, with: #""decimals": 12"#)
        let problems = ProfileSample.problems(text, reader: reader)
        #expect(problems.count == 3 && problems.last == "settings: pm25 pm10")
    }

    @Test func asksTheDriverAndTheGraphAndPlacesWhatTheySay() {
        let reader = ProfileReader(
            settingsProblems: { profile in
                [ConfigurationProblem(place: "settings.fields", message: "of \(profile.id)")]
            },
            graphProblems: { _, channels in
                let count = ConfigurationProblem(place: "", message: "\(channels.count) channels")
                return [count, ConfigurationProblem(place: "nodes[0]", message: "a cycle")]
            }
        )
        let expected = [
            "graph: 2 channels", "graph.nodes[0]: a cycle", "settings.fields: of my-meter",
        ]
        #expect(ProfileSample.problems(ProfileSample.text, reader: reader) == expected)
    }
}

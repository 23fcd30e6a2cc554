import ControlProtocol
import Core
import FoundationEssentials
import NIOCore
import Testing

@testable import RoostWeb
@testable import Store
@testable import StoreQueries

@Suite struct StationViewTests {
    private static let place = StationView.Place(name: "t", zone: "UTC", isSimulated: false)

    private static func view(_ view: StationView) throws -> String {
        try ControlCodec.line(view)
    }

    @Test func aStationThatHangsIsNotOneThatDoesNotRun() throws {
        let hung = try Self.view(StationView(.hung, seconds: 12, at: Self.place))
        #expect(hung.contains(#""daemon":{"sinceSeconds":12,"state":"hung"}"#))
        #expect(hung.contains(#""code":"daemon.hung""#))
        let down = try Self.view(StationView(.down, at: Self.place))
        #expect(down.contains(#""daemon":{"sinceSeconds":null,"state":"down"}"#))
        #expect(down.contains(#""code":"daemon.down""#))
    }

    /// During an outage no date moves to the machine's zone, and no device loses its title.
    @Test func aStationThatIsAwayKeepsItsNamesAndItsZone() {
        let (known, away) = (KnownStation(), StationView(.down, seconds: 3, at: Self.place))
        #expect(known.absent(away).station.zone == "UTC")
        let owner = StationView.Place(name: "balcony", zone: "Europe/Berlin", isSimulated: false)
        var up = StationView(.up, at: owner)
        up.titles = ["dust": "Class 3b"]
        known.remember(up)
        let absent = known.absent(away)
        #expect(absent.station.name == "balcony" && absent.station.zone == "Europe/Berlin")
        #expect(absent.titles == ["dust": "Class 3b"])
        #expect(absent.daemon.state == .down && absent.daemon.sinceSeconds == 3)
        #expect(absent.verdict.code == "daemon.down")
    }

    @Test func aStationIsVisitedWhileASensorSeesMotion() {
        func device(_ type: String, _ state: String) -> DeviceReport {
            DeviceReport(name: "a", type: type, location: "", state: state, facts: Details([]))
        }
        #expect(StationView.isVisited([]) == nil)
        #expect(StationView.isVisited([device("sds011", "motion")]) == nil)
        // As after a restart.
        #expect(StationView.isVisited([device("pir", "settling")]) == false)
        #expect(StationView.isVisited([device("pir", "still"), device("pir", "motion")]) == true)
    }

    @Test func motionSensorsHaveALineEach() throws {
        let door = DeviceReport(
            name: "door",
            type: "pir",
            location: "",
            state: "motion",
            facts: Details([])
        )
        let devices = DevicesReport(devices: [door], unclaimed: [])
        let view = try Self.view(StationView(OpenMetricsTests.status, devices, at: Self.place))
        #expect(
            view.contains(#""lines":[{"device":"door","state":"motion","type":"pir"}]"#)
        )
        #expect(view.contains(#""visited":true"#))
    }

    /// The mute of a channel is listed with its device.
    @Test(arguments: [
        ("dust", ["dust/pm10", "dust/pm25"]), ("dust/pm25", ["dust/pm25"]), ("dusty/pm25", []),
    ])
    func aMuteIsShownOnlyAtWhatItCovers(_ target: String, _ muted: [String]) {
        struct Shown: Decodable {
            struct Channel: Decodable {
                let id: String
                let isMuted: Bool
            }

            let channels: [Channel]
        }
        let names = ["dust/pm10", "dust/pm25"]
        var status = OpenMetricsTests.status
        status.channels = names.map { name in
            ChannelReport(
                channel: name,
                unit: "µg/m³",
                latest: nil,
                valueAgeSeconds: nil,
                isStale: false
            )
        }
        var dust = DeviceReport(
            name: "dust",
            type: "sds011",
            location: "",
            state: "measuring",
            facts: Details([])
        )
        dust.mutes = [MuteReport(target: target, endTime: nil, endsInSeconds: nil)]
        let devices = DevicesReport(devices: [dust], unclaimed: [])
        let shown = StationView(status, devices, at: Self.place)
        // In the order of what people ask for.
        #expect(shown.channels.map(\.id) == names.reversed())
        #expect(Set(shown.channels.filter(\.isMuted).map(\.id)) == Set(muted))
    }

    /// The limits that the owner chose are those of every channel.
    @Test func theLimitsAreThoseInUse() throws {
        var status = OpenMetricsTests.status
        status.levels = "eaqi"
        status.channels = [
            ChannelReport(
                channel: "dust/pm25",
                unit: "µg/m³",
                latest: nil,
                valueAgeSeconds: nil,
                isStale: false
            )
        ]
        let shown = StationView(status, DevicesReport(devices: [], unclaimed: []), at: Self.place)
        #expect(shown.verdict.rule == "eaqi")
        let limits = try #require(shown.channels.first?.limits)
        #expect(limits.map(\.from) == [15, 50])
    }

    @Test func oneThatHangsIsLeftAloneForAWhile() {
        let (silence, start) = (StationSilence(), NIODeadline.uptimeNanoseconds(1_000))
        #expect(!silence.isPausing(at: start) && silence.absence(at: start) == nil)
        silence.record(.hung, asked: start, at: start + .seconds(3))
        #expect(silence.isPausing(at: start + .seconds(17)))
        #expect(!silence.isPausing(at: start + .seconds(18)))
        // Asked again, it hangs since the first time.
        silence.record(.hung, asked: start + .seconds(18), at: start + .seconds(21))
        #expect(silence.absence(at: start + .seconds(21))?.seconds == 21)
        silence.record(.down, asked: start + .seconds(40), at: start + .seconds(40))
        #expect(!silence.isPausing(at: start + .seconds(40)))
        #expect(silence.absence(at: start + .seconds(41))?.seconds == 1)
        silence.answered()
        #expect(silence.absence(at: start + .seconds(41)) == nil)
    }

    @Test func placesBecomePointers() {
        #expect(ProfileCheckView.pointer("") == "")
        #expect(ProfileCheckView.pointer("id") == "/id")
        #expect(ProfileCheckView.pointer("channels[0].unit") == "/channels/0/unit")
        #expect(ProfileCheckView.pointer("a/b.c~d") == "/a~1b/c~0d")
    }

    @Test func aStartSaysWhatWasBefore() throws {
        let boots = try ["a", "b", "c"].map { letter in
            try #require(BootID(String(repeating: letter, count: 32)))
        }
        func run(_ boot: Int, _ from: Int64, _ end: NodeRun.End) -> NodeRun {
            NodeRun(
                boot: boots[boot],
                started: Tick(tenths: from),
                ended: Tick(tenths: from + 100),
                end: end
            )
        }
        let runs = [
            run(0, 0, .stopped), run(0, 200, .lost), run(0, 400, .lost), run(1, 0, .stopped),
            run(2, 0, .lost), run(1, 500, .running),
        ]
        let starts = StoreStarts(runs, watchdogBoot: boots[1]) { _, _ in nil }.boots
        #expect(
            starts.reversed().map(\.reason)
                == [.first, .restarted, .crashed, .watchdog, .rebooted, .watchdog]
        )
        #expect(StoreStarts([]) { _, _ in nil }.boots.isEmpty)
    }
}

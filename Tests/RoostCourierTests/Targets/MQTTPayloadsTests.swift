import ControlProtocol
import Core
import Testing

@testable import Profiles
@testable import RoostCourier

/// Tests messages and topics, byte for byte.
@Suite struct MQTTPayloadsTests {
    private static let topics = MQTTTopics(station: TargetFixture.station.id)
    private static let payloads = MQTTPayloads(topics: topics)

    static let view: BrokerStationView = {
        let dust = BrokerStationView.Device(
            identity: "nova-sds011_A160",
            name: "dust",
            quantities: [.pm25, .pm10],
            interval: .seconds(300)
        )
        let door = BrokerStationView.Device(
            identity: "pir_door",
            name: "door",
            quantities: [],
            interval: nil
        )
        return BrokerStationView(
            name: "balcony",
            model: "Raspberry Pi 4",
            version: "0.1.0",
            devices: [dust, door]
        )
    }()

    private static func text(_ message: BrokerMessage) -> String {
        String(decoding: message.payload, as: UTF8.self)
    }

    @Test func writesEachQuantityOfASample() {
        let sample = TargetFixture.dust(pm25: .value(12.3), pm10: .noData(.unplugged))
        let message = Self.payloads.sample(sample, age: .seconds(1), expiry: 901)
        #expect(message.topic == "roost/7f3a21c9d0e4/dust/state")
        #expect(message.expirySeconds == 900)
        #expect(!message.isRetained)
        let end = """
            "t":"2026-11-22T04:30:00Z","pm25":{"v":12.3,"q":[]},\
            "pm10":{"v":null,"q":[],"why":"unplugged"}}
            """
        #expect(Self.text(message).hasSuffix(end))
        #expect(Self.text(message).hasPrefix("{\"id\":\"3-b1b1"))
    }

    @Test func writesTheAgeOfASampleWithoutADate() {
        let sample = TargetFixture.sample(0, "dust", [(.pm25, .value(12.3))], hasTime: false)
        let message = Self.payloads.sample(sample, age: .milliseconds(97_040), expiry: nil)
        #expect(message.topic == "roost/7f3a21c9d0e4/dust/late")
        #expect(message.expirySeconds == nil && !message.isRetained)
        let end = "\"age\":97.0,\"pm25\":{\"v\":12.3,\"q\":[]}}"
        #expect(Self.text(message).hasSuffix(end))
    }

    @Test(arguments: [
        ("dust", "dust"), ("a/b", "a_b"), ("+#", "__"), ("Küche 2", "K_che_2"), ("\0", "_"),
        ("", "_"),
    ])
    func keepsTopicsPlain(name: String, level: String) {
        #expect(Self.topics.state(name) == "roost/7f3a21c9d0e4/\(level)/state")
    }

    @Test func keepsTopicsShort() {
        let prefix = String(repeating: "a", count: 100)
        let topics = MQTTTopics(prefix: prefix, station: String(repeating: "b", count: 99))
        let longest = topics.late(String(repeating: "ü", count: 999))
        #expect(MQTTTopics.isPrefix(prefix) && !MQTTTopics.isPrefix(prefix + "a"))
        #expect(longest.utf8.count <= MQTTTopics.limit)
        #expect(!MQTTTopics.isPrefix("a//b") && !MQTTTopics.isPrefix("a/#"))
    }

    @Test func announcesAllEntitiesInOneMessage() throws {
        let messages = Self.payloads.discovery(Self.view)
        #expect(messages.count == 1)
        let message = try #require(messages.first)
        #expect(message.topic == "homeassistant/device/roost_7f3a21c9d0e4/config")
        #expect(message.isRetained && message.expirySeconds == nil)
        let text = Self.text(message)
        let dust = """
            "nova-sds011_A160_pm25":{"p":"sensor",\
            "uniq_id":"roost_7f3a21c9d0e4_nova-sds011_A160_pm25","name":"dust PM2.5",\
            "stat_t":"roost/7f3a21c9d0e4/dust/state","val_tpl":"{{ value_json['pm25'].v }}",\
            "json_attr_t":"roost/7f3a21c9d0e4/dust/state",\
            "json_attr_tpl":"{{ value_json['pm25'] | tojson }}","unit_of_meas":"\u{B5}g/m³",\
            "dev_cla":"pm25","stat_cla":"measurement","sug_dsp_prc":1,"exp_aft":900}
            """
        #expect(text.contains(dust))
        #expect(text.contains("\"pir_door_motion\":{\"p\":\"binary_sensor\""))
        #expect(!text.unicodeScalars.contains("\u{3BC}"))
        #expect(WireJSON.parse(message.payload) != nil)
    }

    /// A title is for people; topics and ids go on with the short name.
    @Test func announcesDevicesByTheirTitles() {
        var view = Self.view
        view.devices[0].title = "Class 3b"
        view.devices[1].title = "Front door"
        let text = Self.text(Self.payloads.discovery(view)[0])
        let dust = "\"name\":\"Class 3b PM2.5\",\"stat_t\":\"roost/7f3a21c9d0e4/dust/state\""
        let door = "\"name\":\"Front door Motion\",\"stat_t\":\"roost/7f3a21c9d0e4/door/motion\""
        #expect(text.contains(dust) && text.contains(door))
        let ids = MQTTPayloads.components(view).map(\.id)
        #expect(ids == MQTTPayloads.components(Self.view).map(\.id))
    }

    /// A channel that the target does not get would wait for its first value for ever.
    @Test(arguments: [
        ([], ["nova-sds011_A160_pm25", "nova-sds011_A160_pm10"]), (["*"], nil),
        (["dust/pm10"], ["nova-sds011_A160_pm10"]), (["door/*"], ["pir_door_motion"]),
    ])
    func announcesTheChannelsOfTheTarget(wanted: [String], ids: [String]?) {
        let all = MQTTPayloads.components(Self.view)
        let chosen = Self.view.keeping(StreamChoice(wanted: wanted, left: []))
        let plan = MQTTPayloads.plan(chosen, after: all)
        let expected = ids.map { $0 + ["faults", "alert"] } ?? all.map(\.id)
        #expect(plan.next.map(\.id) == expected)
        #expect(Set(plan.removed.map(\.id)) == Set(all.map(\.id)).subtracting(expected))
        // Entities of their own are taken back each time.
        let single = MQTTPayloads(topics: Self.topics, isByDevice: false).discovery(chosen)
        let gone = all.filter { !expected.contains($0.id) }.map {
            Self.topics.discovery(of: $0.id, platform: $0.platform)
        }
        #expect(Set(single.filter(\.payload.isEmpty).map(\.topic)) == Set(gone))
    }

    @Test func deletesWhatIsGone() {
        var fewer = Self.view
        fewer.devices.removeLast()
        let before = MQTTPayloads.components(Self.view)
        let plan = MQTTPayloads.plan(fewer, after: before)
        #expect(plan.removed.map(\.id) == ["pir_door_motion"])
        #expect(plan.next == MQTTPayloads.components(fewer))
        let whole = Self.payloads.discovery(fewer, plan).map(Self.text)
        #expect(whole[0].contains("\"pir_door_motion\":{\"p\":\"binary_sensor\"}"))
        let single = MQTTPayloads(topics: Self.topics, isByDevice: false)
        let last = single.discovery(fewer, plan).last
        let id = "roost_7f3a21c9d0e4_pir_door_motion"
        #expect(last?.topic == "homeassistant/binary_sensor/\(id)/config")
        #expect(last?.payload == [])
        #expect(last?.isRetained == true)
    }

    @Test func readsWhatABrokerHasKept() {
        let kept = Self.payloads.discovery(Self.view)[0].payload
        let found = Self.payloads.announced(kept)
        let all = MQTTPayloads.components(Self.view)
        #expect(found.map(\.id) == all.map(\.id).sorted())
        let platforms = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.platform) })
        #expect(found.allSatisfy { platforms[$0.id] == $0.platform })
        // An entity that is deleted already is not deleted again.
        var fewer = Self.view
        fewer.devices.removeLast()
        let plan = MQTTPayloads.plan(fewer, after: found)
        #expect(plan.removed.map(\.id) == ["pir_door_motion"])
        let next = Self.payloads.discovery(fewer, plan)[0].payload
        #expect(Self.payloads.announced(next).count == all.count - 1)
        for text in ["", "{", "[]", "{\"cmps\":7}", "{\"cmps\":{\"a\":7}}", "online"] {
            #expect(Self.payloads.announced(Array(text.utf8)).isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func keepsWhatAStationThatHasJustStartedDoesNotKnowYet(isQuiet: Bool) {
        let before = MQTTPayloads.components(Self.view)
        var early = Self.view
        early.devices = []
        if isQuiet { early.quiet = ["dust", "door"] } else { early.isSettled = false }
        let plan = MQTTPayloads.plan(early, after: before + before)
        #expect(plan.removed.isEmpty && plan.next.count == before.count)
        #expect(Set(plan.next) == Set(before))
        #expect(Self.payloads.discovery(early, plan).map(Self.text)[0].contains("dust PM2.5"))
        // Another part in the place of the one before.
        early = Self.view
        early.devices[0] = BrokerStationView.Device(
            identity: "nova-sds011_B7",
            name: "dust",
            quantities: [.pm25, .pm10],
            interval: .seconds(300)
        )
        let ids = MQTTPayloads.plan(early, after: plan.next).removed.map(\.id)
        #expect(ids == ["nova-sds011_A160_pm25", "nova-sds011_A160_pm10"])
    }

    private static func report(
        _ channel: String,
        _ noData: String?,
        age: Double?
    ) -> ChannelReport {
        ChannelReport(
            channel: channel,
            unit: "µg/m³",
            latest: age == nil && noData == nil
                ? nil
                : ReadingReport(
                    channel: channel,
                    instantSeconds: 1,
                    ageSeconds: 1,
                    outcome: (nil, noData),
                    unit: "µg/m³",
                    quality: []
                ),
            valueAgeSeconds: age,
            isStale: false
        )
    }

    /// A part without a value has no entity; one that lost a value keeps it.
    @Test func announcesNothingThatThePartNeverMeasures() throws {
        func view(_ channels: [ChannelReport], uptime: Double = 300) -> BrokerStationView {
            let status = StatusReport(
                name: "balcony",
                version: "1",
                processID: 1,
                uptimeSeconds: uptime,
                wallTime: nil,
                bootID: nil,
                mode: ModeReport(mode: "normal", name: nil, endsInSeconds: nil),
                lamp: nil,
                channels: channels,
                budget: .none,
                watchdog: nil,
                faults: []
            )
            let dust = DeviceReport(
                name: "dust",
                type: "plantower",
                location: "",
                state: "measuring",
                facts: Details([])
            )
            return BrokerStationView(status, DevicesReport(devices: [dust], unclaimed: []))
        }
        let measured = Self.report("dust/pm25", nil, age: 1)
        let lost = Self.report("dust/pm10", "notMeasured", age: 900)
        let never = Self.report("dust/hcho", "notMeasured", age: nil)
        let unknown = Self.report("dust/hcho", nil, age: nil)
        let station = ["faults", "alert"]
        let known = ["plantower_dust_pm25", "plantower_dust_pm10"] + station

        let all = [measured, lost, never]
        #expect(MQTTPayloads.plan(view(all)).next.map(\.id) == known)
        // Before the first reading nothing is known of a new device; an old one keeps its entity.
        let early = view([measured, lost, unknown])
        #expect(MQTTPayloads.plan(early).next.map(\.id) == known)
        let former = Self.payloads.announced(Self.payloads.discovery(Self.former)[0].payload)
        let kept = MQTTPayloads.plan(early, after: former)
        #expect(kept.next.map(\.id).contains("plantower_dust_hcho") && kept.removed.isEmpty)
        #expect(Self.text(Self.payloads.discovery(early, kept)[0]).contains("dust hcho"))
        // An entity announced before its absence was known is taken back, in either form.
        let plan = MQTTPayloads.plan(view(all), after: kept.next)
        #expect(plan.removed.map(\.id) == ["plantower_dust_hcho"])
        let whole = Self.text(Self.payloads.discovery(view(all), plan)[0])
        #expect(whole.contains("\"plantower_dust_hcho\":{\"p\":\"sensor\"}"))
        // Entities of their own are not recalled: they are taken back each time.
        let single = MQTTPayloads(topics: Self.topics, isByDevice: false)
        let topic = Self.topics.discovery(of: "plantower_dust_hcho", platform: "sensor")
        let gone = single.discovery(view(all)).filter { $0.topic == topic }
        #expect(gone.map(\.payload) == [[]] && gone.allSatisfy(\.isRetained))
        // A device of which no value is known yet is not taken for a motion sensor.
        let silent = [Self.report("dust/pm25", nil, age: nil)]
        #expect(MQTTPayloads.plan(view(silent)).next.map(\.id) == station)
    }

    private static let former: BrokerStationView = {
        let dust = BrokerStationView.Device(
            identity: "plantower_dust",
            name: "dust",
            quantities: [.pm25, .pm10, Quantity(name: "hcho", unit: "µg/m³", decimals: 0)],
            interval: .seconds(300)
        )
        return BrokerStationView(name: "balcony", model: "Pi", version: "1", devices: [dust])
    }()

    @Test(arguments: [(0, true), (60, true), (61, false), (86_400, false)])
    func keepsOldMotionsOffTheLiveTopic(age: Int64, isLive: Bool) {
        let motion = MQTTPayloads.Motion(
            id: "7",
            device: "door",
            time: TargetFixture.time,
            age: .seconds(age),
            seconds: 12
        )
        let messages = Self.payloads.motion(motion)
        let live = ["roost/7f3a21c9d0e4/door/motion", "roost/7f3a21c9d0e4/door/event"]
        #expect(messages.map(\.topic) == (isLive ? live : ["\(live[1])/late"]))
        let end = "{\"id\":\"7\",\"t\":\"2026-11-22T04:30:00Z\",\"kind\":\"motion\",\"seconds\":12}"
        #expect(messages.last.map(Self.text) == end)
    }

    @Test func saysWhatHappensToAlertsForAnHour() throws {
        var raised = AlertEvent.Raised(7, .init("who-24h", "dust/pm25"))
        raised.value = FixedPoint(161, decimals: 1)
        (raised.unit, raised.limit, raised.over) = ("µg/m³", FixedPoint(15, decimals: 0), 86_400)
        let time = TargetFixture.time
        let news = try #require(MQTTEvent.Alert(.raised(raised), time: time, age: .seconds(90)))
        let message = try #require(MQTTEvent.alert(news).messages(Self.payloads).first)
        #expect(message.topic == "roost/7f3a21c9d0e4/alert")
        #expect(message.expirySeconds == 3_510 && !message.isRetained)
        let text = """
            {"id":"7","event_type":"raised","alert":7,"t":"2026-11-22T04:30:00Z","rule":"who-24h",\
            "about":"dust/pm25","severity":"warning","level":1,"value":16.1,"unit":"µg/m³",\
            "limit":15,"over":86400}
            """
        #expect(Self.text(message) == text)
        let late = try #require(MQTTEvent.Alert(.raised(raised), time: nil, age: .hours(1)))
        #expect(MQTTEvent.alert(late).messages(Self.payloads).isEmpty)
        raised.flags = ["test", "to:phone"]
        #expect(MQTTEvent.Alert(.raised(raised), time: nil, age: .zero) == nil)
        #expect(
            Self.text(Self.payloads.discovery(Self.view)[0]).contains(
                """
                "alert":{"p":"event","uniq_id":"roost_7f3a21c9d0e4_alert","name":"Alert",\
                "stat_t":"roost/7f3a21c9d0e4/alert",\
                "evt_typ":["raised","level","acknowledged","resolved"]}
                """
            )
        )
    }
}

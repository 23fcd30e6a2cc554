import Core
import SimulationKit
import Testing

@testable import RoostCourier

/// Tests the rows *upload* of `docs/reference/flags.md`.
@Suite struct ImpossibleValueUploadTests {
    private static func sample(_ flag: Quality) -> OutboxSample {
        TargetFixture.dust(pm25: .value(4369.1, flag), pm10: .value(20.5))
    }

    private static func body(_ request: OutboundRequest) -> String {
        String(decoding: request.body, as: UTF8.self)
    }

    @Test(arguments: Quality.everyName)
    func noUploadHasWhatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let sample = Self.sample(flag)
        let batch = TargetFixture.batch(sample)
        let webhook = WebhookTarget(
            url: "https://example.org/",
            station: TargetFixture.station,
            signer: nil,
            clock: SimulatedClock()
        )
        let line = LineProtocol(tags: [:], hasFlags: true).line(sample)
        let topics = MQTTTopics(station: TargetFixture.station.id)
        let sensors = ["dust/pm25": "a1", "dust/pm10": "a2"]
        let box = OpenSenseMapTarget.Box(id: "b1", sensors: sensors)
        let sense = OpenSenseMapTarget(box, token: Secret("box-token"))
        let texts = [
            Self.body(webhook.request(batch)), line ?? "",
            String(
                decoding: MQTTPayloads(topics: topics).sample(sample, age: nil, expiry: 900)
                    .payload,
                as: UTF8.self
            ),
            Self.body(sense.request(batch)),
        ]
        for text in texts { #expect(text.contains("4369.1") != isOmitted, "\(text)") }
        for text in texts[..<3] { #expect(text.contains("\"\(name)\"")) }
    }

    /// Community services accept no value with a doubt besides humid air.
    @Test(arguments: Quality.everyName)
    func communitiesGetNoDoubts(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isSent = ["humid", "jump", "estimated"].contains(name)
        let items = CommunityValues([Self.sample(flag)]).items
        #expect(items.map(\.type) == (isSent ? ["P1", "P2"] : ["P1"]))
    }

    @Test(arguments: Quality.everyName)
    func safecastGetsNoCountThatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let target = SafecastTarget(
            key: Secret("key"),
            device: "geiger",
            site: .init(latitude: 45.4642, longitude: 9.19, height: 4),
            deviceNumber: 12
        )
        let sample = TargetFixture.sample(0, "geiger", [(.countRate, .value(351_000, flag))])
        #expect((target.request(sample) == nil) == (flag == .outOfRange))
        #expect(target.reason(leavingOut: sample) == (flag == .outOfRange ? .flagged : nil))
    }

    @Test func aSampleWithNothingElseIsLeftOutAsDoubtful() {
        let sample = TargetFixture.dust(
            pm25: .value(4369.1, .outOfRange),
            pm10: .value(889.6, .outOfRange)
        )
        let influx = InfluxTarget(
            url: "http://influx:8086/",
            .two(organisation: "home", bucket: "air", token: Secret("t")),
            LineProtocol(tags: [:])
        )
        #expect(influx.reason(leavingOut: sample) == .flagged)
        let community = SensorCommunityTarget(
            sensor: Secret("raspi-1"),
            pins: ["dust": 1],
            station: TargetFixture.station
        )
        #expect(community.reason(leavingOut: sample) == .flagged)
        let none = TargetFixture.dust(pm25: .noData(.unplugged), pm10: .noData(.unplugged))
        #expect(influx.reason(leavingOut: none) == .noValue)
    }
}

import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct CommunityTargetTests {
    private let community = SensorCommunityTarget(
        sensor: Secret("raspi-00000000abcdef01"),
        pins: ["dust": 1, "climate": 11],
        station: TargetFixture.station
    )
    private let host = "api.sensor.community"

    private func climate(_ number: Int = 0) -> OutboxSample {
        let values: [(Quantity, Outcome)] = [(.temperature, .value(-1.2)), (.co2, .value(400))]
        return TargetFixture.sample(number, "climate", values)
    }

    @Test func sensorCommunityIsEachByte() {
        let request = community.request(TargetFixture.batch(TargetFixture.dust()), "dust")
        let text =
            #"{"software_version":"roost-0.1.0","sensordatavalues":["#
            + #"{"value_type":"P1","value":"20.50"},{"value_type":"P2","value":"12.30"}]}"#
        #expect(String(decoding: request.body, as: UTF8.self) == text)
        #expect(request.url.revealed == "https://api.sensor.community/v1/push-sensor-data/")
        #expect(request.dryRun.contains("X-Pin: 1") && !request.dryRun.contains("abcdef01"))
    }

    @Test(arguments: [
        ([FixedPoint(123, decimals: 1), FixedPoint(124, decimals: 1)], "12.35"),
        (
            [FixedPoint(1, decimals: 0), FixedPoint(1, decimals: 0), FixedPoint(2, decimals: 0)],
            "1.33"
        ),
        ([FixedPoint(-5, decimals: 3)], "-0.01"), ([FixedPoint(5, decimals: 3)], "0.01"),
        ([FixedPoint(102_700, decimals: 0)], "102700.00"), ([FixedPoint(4, decimals: 3)], "0.00"),
    ])
    func sendsTheMean(_ values: [FixedPoint], _ text: String) {
        let samples = values.enumerated().map { number, value in
            TargetFixture.dust(number, pm25: .value(value), pm10: .noData(.stuck))
        }
        #expect(CommunityValues(samples).items.map(\.value.description) == [text])
    }

    @Test func doubtfulValuesStay() {
        let zero = TargetFixture.dust(pm25: .value(0, .zero), pm10: .value(0, .zero))
        #expect(community.leavesOut(zero) == .flagged)
        let humid = TargetFixture.dust(pm25: .value(90, .humid), pm10: .value(0, .zero))
        #expect(community.leavesOut(humid) == nil)
        #expect(CommunityValues([humid]).items.map(\.type) == ["P2"])
        let nothing = TargetFixture.dust(pm25: .noData(.unplugged), pm10: .noData(.unplugged))
        #expect(community.leavesOut(nothing) == .noValue)
        #expect(community.leavesOut(TargetFixture.sample(0, "x", [(.pm25, .value(1))])) == .noValue)
    }

    @Test func onePostForEachPin() throws {
        let pins: Set<String> = ["1", "11"]
        let server = SensorCommunityServer(pins: ["raspi-00000000abcdef01": pins])
        let batch = TargetFixture.batch(TargetFixture.dust(), climate(), TargetFixture.dust(1))
        let faults: [NetworkFault?] = [nil, .captivePortal]
        let names = try TargetFixture.deliver(batch, to: community, server, at: host, faults)
        #expect(names == ["delivered", "foreign"])
        #expect(server.bodies.count == 2)
    }

    /// Without names only sensors of particles are sent: a node with one sensor accepts any pin.
    @Test func withoutNamesEachSensorOfParticlesGoes() {
        let target = SensorCommunityTarget(
            sensor: Secret("raspi-00000000abcdef01"),
            pins: nil,
            station: TargetFixture.station
        )
        let air = TargetFixture.sample(1, "bme280", [(.temperature, .value(20))])
        #expect(target.leavesOut(TargetFixture.dust()) == nil)
        #expect(target.leavesOut(air) == .noValue)
        let request = target.request(TargetFixture.batch(TargetFixture.dust(), air), "dust")
        #expect(request.dryRun.contains("X-Pin: 1") && request.dryRun.contains("P1"))
    }

    @Test(arguments: [
        #""type":"sensor-community","sensor":"raspi-0a","devices":{"dust2":{"pin":1}}"#,
        #""type":"madavi","sensor":"raspi-0a","device":"dust2""#,
        #""type":"influx1","url":"http://10.0.0.5","database":"air","streams":["dust2/*"]"#,
        #""type":"safecast","apiKey":{"secret":"t"},"place":{"latitude":1,"longitude":1}"#,
    ])
    func aTargetThatCanSendNothingIsHeldAtOnceAndSaysWhatThereIs(entry: String) throws {
        try simulate { clock in
            let life = try CourierLife(clock, targets: "{\"id\":\"map\",\(entry)}")
            life.secrets.set("t", "air")
            let node = life.node()
            try await life.run(node) {
                life.station.record()
                try await clock.sleep(for: .minutes(2))
                let report = try #require(await node.report.targets.first)
                #expect(report.state == .held, "\(report)")
                #expect(report.why?.contains("dust (pm25, pm10)") == true, "\(report.why ?? "-")")
                #expect(life.station.events.contains("outbox late map"))
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test(arguments: [
        #"{"id":"map","type":"sensor-community","sensor":"raspi-0a"}"#,
        #"{"id":"map","type":"madavi","sensor":"raspi-0a"}"#,
    ])
    func aTargetWithoutNamesSendsWhatFits(entry: String) throws {
        try simulate { clock in
            let life = try CourierLife(clock, targets: entry)
            let node = life.node()
            try await life.run(node) {
                life.station.record()
                try await clock.sleep(for: .minutes(2))
                #expect(await node.report.targets.first?.state == .later, "it tries")
                #expect(life.internet.sent.contains { $0.text.contains("P1") })
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aSecondPinThatFailsDoesNotRepeatTheFirst() throws {
        let pins: Set<String> = ["1", "7"]
        let server = SensorCommunityServer(pins: ["raspi-00000000abcdef01": pins])
        let batch = TargetFixture.batch(TargetFixture.dust(), climate())
        let target = community
        let outcome = try TargetFixture.inNetwork([host: server]) { network in
            try await target.deliver(batch, over: network)
        }
        guard case .partly(refused: [1], let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.code == "wrong-pin")
        let unknown = SensorCommunityServer(pins: [:])
        #expect(try TargetFixture.deliver(batch, to: target, unknown, at: host) == ["hold"])
    }

    @Test func madaviKeepsThePrefix() {
        let target = MadaviTarget(
            sensor: Secret("raspi-1"),
            device: "dust",
            station: TargetFixture.station
        )
        let request = target.request(TargetFixture.batch(TargetFixture.dust()))
        let text =
            #"{"software_version":"roost-0.1.0","sensordatavalues":["#
            + #"{"value_type":"SDS_P1","value":"20.50"},{"value_type":"SDS_P2","value":"12.30"}]}"#
        #expect(String(decoding: request.body, as: UTF8.self) == text)
    }

    @Test func openSenseMapAsksBeforeItSendsAgain() throws {
        let ids = ["5f1aaaaaaaaaaaaaaaaaaaa1", "5f1aaaaaaaaaaaaaaaaaaaa2"]
        let server = OpenSenseMapServer(box: "b1", token: "box-token", sensors: Set(ids))
        let sensors = ["dust/pm25": ids[0], "dust/pm10": ids[1]]
        let box = OpenSenseMapTarget.Box(id: "b1", sensors: sensors)
        let target = OpenSenseMapTarget(box, token: Secret("box-token"))
        let one = TargetFixture.batch(TargetFixture.dust())
        let text =
            #"[{"sensor":"5f1aaaaaaaaaaaaaaaaaaaa1","value":"12.3","#
            + #""createdAt":"2026-11-22T04:30:00Z"},"#
            + #"{"sensor":"5f1aaaaaaaaaaaaaaaaaaaa2","value":"20.5","#
            + #""createdAt":"2026-11-22T04:30:00Z"}]"#
        #expect(String(decoding: target.request(one).body, as: UTF8.self) == text)
        let host = "api.opensensemap.org"
        #expect(try TargetFixture.deliver(one, to: target, server, at: host) == ["delivered"])
        let two = TargetFixture.batch(TargetFixture.dust(), TargetFixture.dust(1))
        // A new process asks first, so it sends the second sample alone.
        let next = OpenSenseMapTarget(box, token: Secret("box-token"))
        #expect(try TargetFixture.deliver(two, to: next, server, at: host) == ["delivered"])
        #expect(server.stored.count == 4 && Set(server.stored).count == 4)
        let three = TargetFixture.batch(TargetFixture.dust(2))
        let faults: [NetworkFault?] = [.answerLost, nil]
        let names = try TargetFixture.deliver(three, to: next, server, at: host, faults)
        #expect(names == ["unknown", "delivered"])
        #expect(server.stored.count == 6 && Set(server.stored).count == 6)
    }

    @Test func openSenseMapIsAskedWhatItHas() throws {
        let ids = ["5f1aaaaaaaaaaaaaaaaaaaa1", "5f1aaaaaaaaaaaaaaaaaaaa2"]
        let server = OpenSenseMapServer(box: "b1", token: "box-token", sensors: Set(ids))
        let sensors = ["dust/pm25": ids[0], "dust/pm10": ids[1]]
        let box = OpenSenseMapTarget.Box(id: "b1", sensors: sensors)
        let target = OpenSenseMapTarget(box, token: Secret("box-token"))
        #expect(target.sends("pm25", of: "dust") && !target.sends("pm1", of: "dust"))
        try TargetFixture.inNetwork(["api.opensensemap.org": server]) { network in
            // More than one answer holds, so that the target asks for parts of the time.
            for start in stride(from: 0, to: 1_500, by: 300) {
                let samples = (start..<start + 300).map {
                    TargetFixture.dust($0, pm10: .value(2.5))
                }
                let batch = SampleBatch(samples, id: "batch-\(start)", isLate: false)
                #expect(try await target.deliver(batch, over: network) == .delivered)
            }
            let end = TargetFixture.time.nanoseconds + 1_500 * 300_000_000_000
            let range = TargetFixture.time..<WallTime(nanoseconds: end)
            let names = ["pm25", "pm10", "pm1"]
            let sums = try await target.holdings(of: "dust", names, in: range, over: network)
            let found = try #require(sums)
            #expect(found.map(\.count) == [1_500, 1_500, 0])
            #expect(found[0].agrees(with: ValueSum(count: 1_500, sum: 18_450)))
            #expect(found[1].agrees(with: ValueSum(count: 1_500, sum: 3_750)))
            #expect(network.sent.count(where: { $0.method == .get }) > 6)
            network.set(.unreachable, at: "api.opensensemap.org")
            let none = try await target.holdings(of: "dust", names, in: range, over: network)
            #expect(none == nil)
        }
    }

    @Test func safecastCountsItsOwnRefusalAsDelivered() throws {
        let target = SafecastTarget(
            key: Secret("api-key-3"),
            device: "geiger",
            site: .init(latitude: 45.4642, longitude: 9.19, height: 4),
            deviceNumber: 12
        )
        let sample = TargetFixture.sample(0, "geiger", [(.countRate, .value(34))])
        let request = try #require(target.request(sample))
        let text =
            #"{"measurement":{"value":34,"unit":"cpm","latitude":45.4642,"longitude":9.19,"#
            + #""captured_at":"2026-11-22T04:30:00Z","device_id":12,"height":4}}"#
        #expect(String(decoding: request.body, as: UTF8.self) == text)
        #expect(request.url.shown == "https://api.safecast.org/measurements.json?api_key=•••")
        let server = SafecastServer(key: "api-key-3")
        let batch = TargetFixture.batch(sample)
        let faults: [NetworkFault?] = [.answerLost, nil]
        let names = try TargetFixture.deliver(
            batch,
            to: target,
            server,
            at: "api.safecast.org",
            faults
        )
        #expect(names == ["unknown", "delivered"] && server.count == 1)
    }
}

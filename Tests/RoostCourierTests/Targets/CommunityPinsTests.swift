import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct CommunityPinsTests {
    private static let id = "raspi-00000000abcdef01"
    private static let host = "api.sensor.community"
    private static let pressure = Quantity(name: "pressure", unit: "hPa", decimals: 2)
    private static let humidity = Quantity(name: "humidity", unit: "%", decimals: 2)

    private let target = SensorCommunityTarget(
        sensor: Secret(id),
        pins: nil,
        station: TargetFixture.station
    )

    private static func climate(
        _ number: Int = 0,
        _ device: String = "bme280",
        _ outcome: Outcome? = nil
    ) -> OutboxSample {
        let values: [(Quantity, Outcome)] = [
            (.temperature, outcome ?? .value(25.08)), (humidity, outcome ?? .value(84.25)),
            (pressure, outcome ?? .value(1_006.53)),
        ]
        return TargetFixture.sample(number, device, values)
    }

    @Test(arguments: [
        (["pm25", "pm10", "temperature", "humidity"], 1), (["temperature", "humidity"], 7),
        (["temperature", "humidity", "pressure"], 11), (["temperature", "pressure"], 3),
        (["temperature", "humidity", "co2"], 17), (["temperature"], nil), (["co2"], nil),
        (["illuminance"], nil), (["dew_point@1"], nil), (["humidity"], nil),
    ])
    func aPinFollowsFromWhatIsMeasured(names: [String], pin: Int?) {
        let quantities = names.map { Quantity(name: $0, unit: "", decimals: 0) }
        #expect(CommunityPins.pin(of: quantities) == pin)
    }

    /// A BMP280 under the profile of a BME280: humidity never has a value.
    @Test func aQuantityThatNeverHasAValueDoesNotCount() throws {
        func sample(_ number: Int, _ humidity: Outcome) -> OutboxSample {
            let values: [(Quantity, Outcome)] = [
                (.temperature, .value(25.08)), (Self.humidity, humidity),
                (Self.pressure, .value(1_006.53)),
            ]
            return TargetFixture.sample(number, "bme280", values)
        }
        let none = Outcome.noData(.notMeasured)
        #expect(target.leavesOut(sample(0, none)) == .noValue, "it waits")
        #expect(target.leavesOut(sample(1, none)) == .noValue)
        #expect(target.leavesOut(sample(2, none)) == nil, "for ten minutes")
        let batch = TargetFixture.batch(sample(2, none))
        #expect(target.request(batch, "bme280").dryRun.contains("X-Pin: 3"))
        #expect(target.leavesOut(sample(3, .value(84.25))) == nil)
        let whole = TargetFixture.batch(sample(3, .value(84.25)))
        #expect(target.request(whole, "bme280").dryRun.contains("X-Pin: 11"))
        #expect(target.leavesOut(sample(4, none)) == nil)
        #expect(target.request(batch, "bme280").dryRun.contains("X-Pin: 11"), "it had one")
    }

    @Test func aBME280IsSentAsTheServicePublishesIt() {
        let batch = TargetFixture.batch(TargetFixture.dust(), Self.climate())
        #expect(target.devices(batch) == ["dust", "bme280"])
        let request = target.request(batch, "bme280")
        let text =
            #"{"software_version":"roost-0.1.0","sensordatavalues":["#
            + #"{"value_type":"temperature","value":"25.08"},"#
            + #"{"value_type":"humidity","value":"84.25"},"#
            + #"{"value_type":"pressure","value":"100653.00"}]}"#
        #expect(String(decoding: request.body, as: UTF8.self) == text)
        #expect(request.dryRun.contains("X-Pin: 11"))
    }

    @Test(arguments: [("hPa", "100653.00"), ("Pa", "1006.53"), ("kPa", "1006530.00"), ("m", nil)])
    func aPressureIsInPascals(unit: String, text: String?) {
        let quantity = Quantity(name: "pressure", unit: unit, decimals: 2)
        let sample = TargetFixture.sample(0, "air", [(quantity, .value(1_006.53))])
        let texts = CommunityValues([sample]).items.map(\.value.description)
        #expect(texts == [text].compactMap(\.self))
        #expect((CommunityValues.leavesOut(sample) == nil) == (text != nil))
    }

    @Test func carbonDioxideHasTheNameOfAnSCD30() {
        let values: [(Quantity, Outcome)] = [
            (.co2, .value(812)), (.temperature, .value(20)), (Self.humidity, .value(50)),
        ]
        let sample = TargetFixture.sample(0, "room", values)
        let types = CommunityValues([sample]).items.map(\.type)
        #expect(types == ["temperature", "humidity", "co2_ppm"])
    }

    @Test func bothPinsThatAreRegisteredGetTheirValues() throws {
        let server = SensorCommunityServer(pins: [Self.id: ["1", "11"]])
        let batch = TargetFixture.batch(Self.climate(), TargetFixture.dust())
        let outcomes = try TargetFixture.deliver(batch, to: target, server, at: Self.host)
        #expect(outcomes == ["delivered"])
        #expect(server.bodies.map { $0.contains("P1") } == [true, false])
        #expect(target.refusedChannels.isEmpty)
    }

    /// The answer names the dust sensor: climate went into it once, and does so no more.
    @Test func aClimateSensorWithoutAPlaceThereIsSentOnce() throws {
        let server = SensorCommunityServer(pins: [Self.id: ["1"]])
        let batch = TargetFixture.batch(Self.climate(), TargetFixture.dust())
        let outcomes = try TargetFixture.deliver(batch, to: target, server, at: Self.host)
        #expect(outcomes == ["delivered"] && server.bodies.count == 2)
        let reason = try #require(target.refusedChannels["bme280"])
        #expect(reason.words.contains("add one with pin 11") && reason.words.utf8.count <= 120)
        #expect(target.leavesOut(Self.climate(1)) == .refused)
        #expect(target.leavesOut(TargetFixture.dust(1)) == nil)
        target.forgetRefusals()
        #expect(target.leavesOut(Self.climate(2)) == nil)
    }

    private static let dust = SampleChannels(device: "dust", [.pm25, .pm10], of: [.pm25, .pm10])
    private static let air = SampleChannels(
        device: "bme280",
        [.temperature, humidity, pressure],
        of: [.temperature, humidity, pressure]
    )

    /// Climate that goes ahead of dust is in the dust sensor's record before anything shows it.
    @Test func climateWaitsForTheSensorThatDustGoesTo() throws {
        target.see([Self.air, Self.dust])
        #expect(target.leavesOut(Self.climate()) == .refused)
        let reason = try #require(target.waitsFor)
        #expect(reason.words.hasPrefix("bme280 waits until dust was taken"))
        #expect(reason.words.hasSuffix("ends this"), "the text is cut: \(reason.words)")
        #expect(target.refusedChannels.isEmpty, "the service refused nothing")
        // No dust comes for long; an empty list says that the station is away.
        target.see([])
        target.forgetRefusals()
        #expect(target.leavesOut(Self.climate(9)) == .refused)
        let server = SensorCommunityServer(pins: [Self.id: ["1", "11"]])
        let dust = TargetFixture.batch(TargetFixture.dust(10))
        let first = try TargetFixture.deliver(dust, to: target, server, at: Self.host)
        #expect(first == ["delivered"] && target.waitsFor == nil)
        #expect(target.leavesOut(Self.climate(10)) == nil)
        let air = TargetFixture.batch(Self.climate(10))
        let second = try TargetFixture.deliver(air, to: target, server, at: Self.host)
        #expect(second == ["delivered"] && target.refusedChannels.isEmpty)
        #expect(server.bodies.map { $0.contains("P1") } == [true, false])
    }

    @Test func withoutDustClimateDoesNotWait() {
        target.see([Self.air, SampleChannels(device: "sds011", [], of: [.pm25, .pm10])])
        #expect(target.leavesOut(Self.climate()) == nil && target.waitsFor == nil)
    }

    /// `roost outbox retry` tries climate again, and the first answer shows that nothing changed.
    @Test func aRetryIsOneWrongAnswerAtMost() throws {
        let server = SensorCommunityServer(pins: [Self.id: ["1"]])
        target.see([Self.dust, Self.air])
        let dust = TargetFixture.batch(TargetFixture.dust())
        #expect(try TargetFixture.deliver(dust, to: target, server, at: Self.host) == ["delivered"])
        for number in 1...2 {
            let air = TargetFixture.batch(Self.climate(number))
            _ = try TargetFixture.deliver(air, to: target, server, at: Self.host)
            #expect(server.bodies.count == 1 + number)
            #expect(target.leavesOut(Self.climate(number)) == .refused, "after one answer")
            target.forgetRefusals()
        }
        #expect(target.leavesOut(Self.climate(3)) == nil)
    }

    /// The courier says what the station has before it judges samples.
    @Test func aCourierSendsNoClimateBeforeDust() throws {
        try simulate { clock in
            let entry = "{\"id\":\"map\",\"type\":\"sensor-community\",\"sensor\":\"\(Self.id)\"}"
            let life = try CourierLife(clock, targets: entry)
            let server = SensorCommunityServer(pins: [Self.id: ["1", "7"]])
            life.internet.add(server, at: Self.host)
            life.station.record()
            // Then that sample is too old to be sent.
            try await clock.sleep(for: .minutes(15))
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .minutes(1))
                life.station.recordClimate()
                try await clock.sleep(for: .minutes(5))
                #expect(server.bodies.isEmpty)
                let report = try #require(await node.report.targets.first)
                #expect(report.why?.contains("air waits until dust") == true, "\(report)")
                #expect(report.samples?.leftOut["refused"] == 1, "\(report)")
                life.station.record()
                try await clock.sleep(for: .minutes(5))
                life.station.recordClimate()
                try await clock.sleep(for: .minutes(5))
                #expect(server.bodies.map { $0.contains("P1") } == [true, false])
                #expect(await node.report.targets.first?.why == nil)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func aPinThatIsNotRegisteredKeepsNoOtherBack() throws {
        let server = SensorCommunityServer(pins: [Self.id: ["1", "7"]])
        let batch = TargetFixture.batch(Self.climate(), TargetFixture.dust())
        let (target, host) = (target, Self.host)
        let outcome = try TargetFixture.inNetwork([host: server]) { network in
            try await target.deliver(batch, over: network)
        }
        guard case .partly(refused: [0], let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.words.contains("pin 11") && server.bodies.count == 1)
        #expect(target.leavesOut(Self.climate(1)) == .refused)
    }

    /// Two parts of one kind: the first one that measures has the pin until it falls silent.
    @Test func oneDeviceHasAPinAndTheOtherIsSaid() {
        #expect(target.leavesOut(Self.climate(0, "bme280")) == nil)
        #expect(target.refusedChannels.isEmpty)
        #expect(target.leavesOut(Self.climate(0, "bme280-2")) == .refused)
        let words = "pin 11 is used by bme280; give this one a pin under `devices`"
        #expect(target.refusedChannels.mapValues(\.words) == ["bme280-2": words])
        #expect(target.leavesOut(Self.climate(1, "bme280")) == nil)
        #expect(target.leavesOut(Self.climate(2, "bme280-2")) == .refused)
        #expect(target.leavesOut(Self.climate(3, "bme280-2")) == nil)
        #expect(target.refusedChannels.isEmpty)
        #expect(target.leavesOut(Self.climate(3, "bme280")) == .refused)
        #expect(target.refusedChannels.keys.sorted() == ["bme280"])
    }

    /// A part without a value, or with doubtful ones, keeps its pin for ten minutes, not for ever.
    @Test(arguments: [
        (Outcome.noData(.unplugged), LeftOut.noValue),
        (Outcome.value(20, .unchanging), LeftOut.flagged),
    ])
    func aDeviceThatHasNothingToSendLosesItsPin(outcome: Outcome, reason: LeftOut) {
        #expect(target.leavesOut(Self.climate(0, "bme280")) == nil)
        #expect(target.leavesOut(Self.climate(1, "bme280", outcome)) == reason)
        #expect(target.leavesOut(Self.climate(1, "bme280-2")) == .refused)
        #expect(target.leavesOut(Self.climate(2, "bme280", outcome)) == reason)
        #expect(target.leavesOut(Self.climate(2, "bme280-2")) == nil)
        // Nor does one that never had a value ever get it.
        #expect(target.leavesOut(Self.climate(2, "bme280-3", outcome)) == reason)
        #expect(target.leavesOut(Self.climate(3, "bme280-2")) == nil)
        #expect(target.refusedChannels.isEmpty)
    }
}

import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

/// Sensors that drivers of the kernel show, found and read without a word of configuration.
@Suite struct KernelSensorTests {
    private static let place = "soc/fe804000.i2c/i2c-1/1-0076"

    @Test func isFoundAndReadsUnderOneNameWhereverItStandsInTheList() throws {
        let (found, first, second, readings) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = try SimulatedAdapter.part(of: "bosch-bme280", on: clock)
            let other = try SimulatedAdapter.part(of: "bosch-bme280", seed: 9, on: clock)
            return try await bench.run { bench in
                try await bench.sleep(.seconds(10))
                let first = bench.usb.show(part, named: "bme280", at: Self.place, slot: 70)
                bench.usb.show(
                    other,
                    named: "bme280",
                    at: "soc/fe804000.i2c/i2c-1/1-0077",
                    slot: 71
                )
                try await bench.sleep(.minutes(5))
                let found = bench.found
                bench.usb.unplug(70)
                try await bench.sleep(.minutes(5))
                let second = bench.usb.show(part, named: "bme280", at: Self.place, slot: 70)
                try await bench.sleep(.minutes(5))
                return (found, first, second, bench.values(of: "bme280"))
            }
        }
        #expect(found.map(\.state) == ["adopted", "adopted"])
        #expect(
            found.map(\.identity) == [
                "bosch-bme280:i2c/devices/1-0076", "bosch-bme280:i2c/devices/1-0077",
            ]
        )
        #expect(found.map(\.name) == ["bme280", "bme280-2"])
        #expect(first != second, "the kernel counts on")
        let names = Set(readings.map(\.channel.quantity.name))
        #expect(names == ["temperature", "humidity", "pressure", "dew_point@1"])
        #expect(readings.count >= 4 * 8)
    }

    @Test func aReadingThatNeverComesBackIsNamedAndLeavesTheOthersAlone() throws {
        let (absent, values, kinds) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let profile = try #require(ProfileCatalog.shipped.profile("bosch-bme280"))
            var hung = try KernelSensorSimulator(profile, seed: 1)
            hung.fault = .hanging
            let peer = hung
            let part = SimulatedAdapter("hung", clock: clock) { _ in peer }
            let other = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                bench.usb.show(part, named: "bme280", at: Self.place, slot: 70)
                bench.usb.plug(other, into: 1)
                try await bench.sleep(.minutes(30))
                let readings = bench.station.context.recorder.readings(since: .boot)
                return (
                    readings.filter {
                        $0.channel.device == "bme280" && $0.outcome == .noData(.replyTimeout)
                    }.count, bench.values(of: "sds011").count,
                    Set(bench.events.filter { $0.source == "bme280" }.map(\.kind.name))
                )
            }
        }
        #expect(absent > 0 && values > 8)
        #expect(kinds.contains("sensor not answering"))
    }

    /// Ten minutes: the ladder stands among the events, others go on, and it is back soon.
    @Test func aBusThatHangsIsNamedOnceAndIsBackSoonAfterIt() throws {
        let outcome = try simulate { clock in
            let bench = try DetectionBench(clock)
            let parts = try (1...2).map { seed in
                try SimulatedAdapter.part(of: "bosch-bme280", seed: UInt64(seed), on: clock)
            }
            let other = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                for (index, part) in parts.enumerated() {
                    let place = "soc/fe804000.i2c/i2c-1/1-007\(6 + index)"
                    bench.usb.show(part, named: "bme280", at: place, slot: 70 + index)
                }
                bench.usb.plug(other, into: 1)
                try await bench.sleep(.minutes(20))
                let begun = clock.now
                for part in parts { part.hang(true) }
                try await bench.sleep(.minutes(10))
                let devices = await bench.station.context.devices.reports()
                let ended = clock.now
                for part in parts { part.hang(false) }
                try await bench.sleep(.minutes(5))
                let names = ["bme280", "bme280-2"]
                return (
                    events: names.map { name in
                        bench.events.filter { $0.source == name && begun <= $0.instant }
                    },
                    back: names.map { name in
                        bench.values(of: name).map(\.instant).first { ended < $0 }
                            .map { ended.duration(to: $0) }
                    },
                    others: bench.values(of: "sds011").map(\.instant)
                        .filter { begun < $0 && $0 <= ended }.count,
                    troubles: devices.map { "\($0.facts)" }
                )
            }
        }
        for events in outcome.events {
            #expect(
                events.map(\.kind.name) == [
                    "remedy tried", "remedy tried", "device unusable", "sensor found",
                    "device back",
                ]
            )
            let texts = events.map { "\($0.details)" }
            #expect(texts[0].contains("ask again") && texts[1].contains("reopen"))
            #expect(texts[2].contains("its bus hangs; look at the wires"))
        }
        for back in outcome.back { #expect(try #require(back) <= .seconds(30)) }
        #expect(outcome.others >= 2 * 2, "the other sensor goes on: \(outcome.others)")
        #expect(outcome.troubles.filter { $0.contains("its bus hangs") }.count == 2)
    }

    /// A day of a part of which one reading in ten fails: each failure is asked again, no value is
    /// invented, and the log has no line of it.
    @Test func aTenthOfFailedReadingsLeavesADayWhole() throws {
        let (values, events) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let profile = try #require(ProfileCatalog.shipped.profile("bosch-bme280"))
            var faulty = try KernelSensorSimulator(profile, seed: 1)
            faulty.fault = .failing(each: 10, code: 5)
            let peer = faulty
            let part = SimulatedAdapter("faulty", clock: clock) { _ in peer }
            return try await bench.run { bench in
                bench.usb.show(part, named: "bme280", at: Self.place, slot: 70)
                try await bench.sleep(.hours(24))
                return (
                    bench.values(of: "bme280").count,
                    bench.events.filter { $0.source == "bme280" }.map(\.kind.name)
                )
            }
        }
        #expect(values >= 3 * 1_430)
        #expect(Set(events).isSubset(of: ["device adopted", "sensor found"]), "\(events)")
    }

    @Test func whatNoProfileKnowsIsListedAndThePartsOfTheComputerAreNot() throws {
        let found = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = try SimulatedAdapter.part(of: "bosch-bme280", on: clock)
            return try await bench.run { bench in
                bench.usb.show(part, named: "stranger", at: Self.place, slot: 70)
                let hwmon = HotplugDevice(
                    devpath: "/devices/virtual/thermal/thermal_zone0/hwmon0",
                    node: nil,
                    subsystem: "hwmon",
                    properties: [HotplugDevice.sensorNameKey: "cpu_thermal"]
                )
                bench.platform.hotplug.send([.added(hwmon)])
                try await bench.sleep(.minutes(1))
                return bench.found
            }
        }
        #expect(found.map(\.state) == ["unknown"])
        #expect(found.first?.why == "no profile fits the kernel's driver stranger")
    }
}

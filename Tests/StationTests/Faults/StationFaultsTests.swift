import Configuration
import ControlProtocol
import Core
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

@Suite struct StationFaultsTests {
    @Test func aSensorThatDoesNotAnswerIsAFaultUntilItDoes() throws {
        let (during, after) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.minutes(7))
                test.line.withPeer { peer, now in
                    peer.inject(
                        SDS011FaultWindow(.silence, from: now, to: now.advanced(by: .minutes(15)))
                    )
                }
                try await test.sleep(.minutes(10))
                let during = test.station.status.faults
                try await test.sleep(.minutes(40))
                return (during, test.station.status.faults)
            }
        }
        #expect(during.map(\.id) == ["sensor-silent:dust"])
        #expect(during.first.map { $0.ageSeconds > 300 } == true)
        #expect(after.isEmpty)
    }

    @Test func anotherSensorThanTheOneOfTheFileIsNamedWithBothIds() throws {
        let text = """
            {"name": "test", "devices": [{"name": "dust", "type": "sds011",
              "port": "/dev/ttyUSB0", "id": "B0B0"}]}
            """
        let faults = try simulate { clock in
            let test = try TestStation(clock, text)
            return try await test.run { test in
                try await test.sleep(.minutes(7))
                return test.station.status.faults
            }
        }
        #expect(faults.map(\.id) == ["sensor-other:dust"])
        let sentence = faults.first?.sentence ?? ""
        #expect(sentence.contains("A160") && sentence.contains("B0B0"))
        #expect(faults.first?.nextStep.contains("roost devices adopt") == true)
    }

    @Test func aWrongRateIsNoiseAtThisSpeed() throws {
        let faults = try simulate { clock in
            let test = try TestStation(clock)
            test.line.withPeer { peer, _ in peer.inject(SDS011FaultWindow(.wrongRate)) }
            return try await test.run { test in
                try await test.sleep(.minutes(7))
                return test.station.status.faults
            }
        }
        #expect(faults.map(\.id) == ["sensor-silent:dust"])
        #expect(faults.first?.sentence.contains("noise at this speed, 9600 baud") == true)
    }

    @Test func aZoneThatTheMachineDoesNotKnowIsAFault() throws {
        let (during, after) = try simulate { clock in
            let test = try TestStation(clock, #"{"name": "test", "zone": "Europe/Nowhere"}"#)
            test.platform.unknownZones = ["Europe/Nowhere"]
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let during = test.station.status.faults
                let text = Array(#"{"name": "test", "zone": "Europe/Rome"}"#.utf8)
                test.station.reload(try StationConfiguration.read(text, file: "next"))
                try await test.sleep(.minutes(1))
                return (during, test.station.status.faults.map(\.id))
            }
        }
        #expect(during.map(\.id) == ["settings-left-out:zone"])
        #expect(during.first?.sentence.contains("no zone Europe/Nowhere") == true)
        #expect(after.isEmpty)
    }

    @Test func aRejectedConfigurationIsAFaultUntilOneIsTaken() throws {
        let (during, after, events) = try simulate { clock in
            let test = try TestStation(clock)
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                test.station.context.faults.reject(
                    ConfigurationError(file: "/etc/roost/roost.json", message: "no such key: x")
                )
                let during = test.station.status.faults
                let text = Array(TestStation.everything.utf8)
                test.station.reload(try StationConfiguration.read(text, file: "next"))
                return (during, test.station.status.faults, test.events)
            }
        }
        #expect(during.map(\.id) == ["configuration-rejected"])
        #expect(during.first?.sentence.contains("no such key: x") == true)
        #expect(after.isEmpty)
        let told = events.filter { $0["fault"] == "configuration-rejected" }.map(\.kind.name)
        #expect(told == ["fault began", "fault over"])
    }

    @Test func aStoreWithoutMemoryBesideItSaysSo() throws {
        let folder = try TestFolder(isInMemory: true)
        let text = """
            {"name": "test", "store": {"folder": "\(folder.path)", "megabytes": 4}}
            """
        let faults = try simulate { clock in
            let test = try TestStation(clock, text)
            test.platform.hasMirror = false
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                return test.station.status.faults
            }
        }
        #expect(faults.map(\.id) == ["mirror-missing"])
    }

    @Test func aStationLampBlinksForEveryFault() throws {
        let text = """
            {"name": "test", "devices": [{"name": "alive", "type": "led", "line": "GPIO22"}]}
            """
        let (before, during) = try simulate { clock in
            let test = try TestStation(clock, text)
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let light = test.station.context.leds.light("alive")
                let before = light.pattern
                test.station.context.faults.raise(.restartNeeded, "another name")
                return (before, light.pattern)
            }
        }
        #expect(before == .on)
        #expect(during == .blinking)
    }

    @Test func whatTheStartOfAnImageFoundIsAFault() throws {
        let text = """
            {"name": "test", "devices": [{"name": "alive", "type": "led", "line": "GPIO22"}]}
            """
        let (pattern, faults) = try simulate { clock in
            let test = try TestStation(clock, text)
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                let wrong = ["station.txt, line 2: 'foo' is no setting", "roost.json: it is empty"]
                test.station.context.faults.set(
                    StartFindings(fileProblems: wrong, isDataInMemory: true)
                )
                let pattern = test.station.context.leds.light("alive").pattern
                return (pattern, test.station.status.faults)
            }
        }
        #expect(pattern == .blinking)
        #expect(faults.map(\.id).sorted() == ["boot-files", "data-in-memory"])
        let sentence = faults.first { $0.id == "boot-files" }?.sentence
        #expect(sentence?.contains("line 2: 'foo' is no setting; roost doctor shows 1") == true)
    }

    @Test func aWirelessNetworkThatIsJoinedIsNoFault() throws {
        let (during, after) = try simulate { clock in
            let test = try TestStation(clock, #"{"name": "test"}"#)
            return try await test.run { test in
                test.station.context.faults.set(
                    StartFindings(fileProblems: ["wrong"], wireless: "Wi-Fi: no.")
                )
                let during = test.station.status.faults
                test.station.context.faults.set(StartFindings(fileProblems: ["wrong"]))
                return (during, test.station.status.faults.map(\.id))
            }
        }
        #expect(during.map(\.id).sorted() == ["boot-files", "boot-files:station.txt"])
        #expect(during.contains { $0.sentence == "Wi-Fi: no" })
        #expect(after == ["boot-files"])
    }

    @Test func tooManyFaultsAreCounted() throws {
        let (faults, ids) = try simulate { clock in
            let test = try TestStation(clock, #"{"name": "test"}"#)
            return try await test.run { test in
                let board = test.station.context.faults
                for number in 0..<70 { board.raise(.profileLeftOut, of: "\(number)", "broken") }
                let before = test.station.faults
                for number in 0..<70 { board.clear(.profileLeftOut, of: "\(number)") }
                return (before, test.station.faults.map(\.id))
            }
        }
        #expect(faults.count == 65)
        #expect(faults.last?.sentence == "6 more things are wrong")
        #expect(ids.isEmpty)
    }
}

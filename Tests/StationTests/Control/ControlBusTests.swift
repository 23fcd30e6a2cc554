import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct ControlBusTests {
    private static func play(
        _ body: @escaping @Sendable (TestStation, SimulatedI2C) async throws -> Void
    ) throws {
        let folder = try TestFolder(isInMemory: true)
        try simulate { clock in
            let text = """
                {"name": "test", "detect": false,
                 "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
                """
            let test = try TestStation(clock, text)
            try await test.run { test in try await body(test, test.platform.i2c) }
        }
    }

    private static func report<Asked: Question>(
        _ test: TestStation,
        _ question: Asked
    ) async throws -> Asked.Answer {
        try #require(try await test.ask(question).body)
    }

    @Test func aPartIsUsedAndForgotten() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            i2c.serve(names: ["bme280"], drivers: ["bme280": "bmp280"])
            let found = try await Self.report(test, LookAtBuses())
            #expect(found.buses.first?.parts.map(\.state) == [.found])
            #expect(found.overlays.map(\.line).contains("dtoverlay=w1-gpio"))
            let used = try await Self.report(test, UsePart("0x76"))
            #expect(used.outcome?.state == .bound)
            #expect(used.buses.first?.parts.first?.driver == "bmp280")
            #expect(used.buses.first?.parts.first?.isListed == true)
            #expect(used.buses.first?.parts.first?.sentence.hasSuffix(", at each start") == true)
            #expect(i2c.wanted == ["1 0x76 bme280"])
            let again = try await test.ask(UsePart("0x76")).error
            #expect(again?.reason == .busTaken)
            let gone = try await Self.report(test, ForgetPart("0x76"))
            #expect(gone.outcome?.state == .forgotten && i2c.wanted == [])
            #expect(gone.buses.first?.parts.map(\.state) == [.found])
        }
    }

    @Test func whatCanBeSeveralPartsIsAsked() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(), at: 0x48)
            let which = try await test.ask(UsePart("0x48")).error
            #expect(which?.reason == .busWhich)
            let nothing = try await test.ask(UsePart("0x23")).error
            #expect(nothing?.reason == .busNothing)
            let name = try await test.ask(UsePart("0x48", name: "lm57")).error
            #expect(name?.reason == .busName)
            let far = try await test.ask(UsePart("0x48", bus: 4)).error
            #expect(far?.code == .notFound && far?.pointer == "/bus")
            let wrong = try await test.ask(UsePart("0x99")).error
            #expect(wrong?.code == .badRequest)
        }
    }

    /// The kernel has no driver of an SCD41: the station offers to read it itself, and does.
    @Test func aPartWithoutADriverIsReadDirectly() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(), at: 0x62)
            i2c.serve(names: ["scd41"], drivers: [:])
            let used = try await Self.report(test, UsePart("0x62", name: "scd41"))
            #expect(used.outcome?.state == .undriven)
            #expect(used.outcome?.direct == "sensirion-scd4x-direct")
            let wish = UsePart("0x62", name: "sensirion-scd4x-direct")
            let direct = try await Self.report(test, wish)
            #expect(direct.outcome?.state == .direct && i2c.wanted == [])
            let part = try #require(direct.buses.first?.parts.first)
            #expect(part.state == .direct && part.device == "scd4x")
            let devices = try await Self.report(test, GetDevices()).devices
            #expect(devices.map(\.location) == ["/dev/i2c-1@0x62"])
            let gone = try await Self.report(test, ForgetPart("0x62"))
            #expect(gone.outcome?.state == .forgotten)
            #expect(try await Self.report(test, GetDevices()).devices.isEmpty)
        }
    }

    @Test func withoutTheServiceOfRootTheListWaits() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            let used = try await Self.report(test, UsePart("0x76"))
            #expect(used.outcome?.state == .waiting)
            #expect(used.outcome?.nextStep?.contains("roost-bus.path") == true)
            #expect(used.buses.first?.parts.first?.isListed == true)
        }
    }

    @Test func aMachineWithoutBusesSaysWhatToDo() throws {
        try Self.play { test, i2c in
            let none = try await Self.report(test, LookAtBuses())
            #expect(none.why != nil && none.nextStep?.contains("i2c_arm") == true)
            i2c.add(bus: 1, "bcm2835", .heldLow)
            i2c.add(bus: 2, "bcm2835", .hangs)
            i2c.add(bus: 3, "bcm2835", .forbidden)
            i2c.add(bus: 4, "SMBus I801 adapter")
            let report = try await Self.report(test, LookAtBuses())
            #expect(report.buses.map(\.state) == [.everywhere, .hangs, .noAccess, .left])
            let steps = report.buses.map { $0.nextStep != nil }
            #expect(steps == [true, true, true, false])
            let held = try await test.ask(UsePart("0x76", bus: 1, name: "bme280")).error
            #expect(held?.message.contains("answers at every address") == true)
        }
    }

    /// A file system that is full between the list and the wake: the list is there all the same.
    @Test func aServiceThatCannotBeWokenLetsTheListWait() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            i2c.sleep(.full(path: "/run/roost/bus-wanted"))
            let used = try await Self.report(test, UsePart("0x76")).outcome
            #expect(used?.state == .waiting)
            #expect(used?.sentence.contains("/run/roost/bus-wanted: no space") == true)
            #expect(i2c.wanted == ["1 0x76 bme280"])
        }
    }

    @Test func forgettingSaysWhatRootDid() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            i2c.serve(names: ["bme280", "bh1750"], drivers: ["bme280": "bmp280"])
            _ = try await Self.report(test, UsePart("0x76"))
            i2c.keep([0x76])
            let kept = try await Self.report(test, ForgetPart("0x76"))
            #expect(kept.outcome?.state == .failed && i2c.wanted == [])
            #expect(kept.outcome?.sentence.contains("did not let go") == true)
            #expect(kept.buses.first?.parts.map(\.state) == [.bound])
            let again = try await Self.report(test, ForgetPart("0x76", bus: 1))
            #expect(again.outcome?.state == .failed, "root asked the kernel once more")
            i2c.keep([])
            let next = try await Self.report(test, UsePart("0x23", bus: 1, name: "bh1750"))
            #expect(next.outcome?.state == .undriven)
            #expect(next.buses.first?.parts.map(\.address) == ["0x23", "0x76"])
            #expect(next.buses.first?.parts.last?.state == .found, "the next run asked again")
            i2c.sleep(.full(path: "/run/roost/bus-wanted"))
            let waiting = try await Self.report(test, ForgetPart("0x23"))
            #expect(waiting.outcome?.state == .waiting)
        }
    }

    /// The result of an earlier list with the same parts is no answer.
    @Test func aResultBelongsToOneRequest() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            i2c.serve(names: ["bme280"], drivers: ["bme280": "bmp280"])
            _ = try await Self.report(test, UsePart("0x76"))
            _ = try await Self.report(test, ForgetPart("0x76"))
            i2c.serve(names: nil, drivers: [:])
            let used = try await Self.report(test, UsePart("0x76"))
            #expect(used.outcome?.state == .waiting)
            let forgotten = try await Self.report(test, ForgetPart("0x76"))
            #expect(forgotten.outcome?.state == .waiting && i2c.wanted == [])
        }
    }

    @Test func whatAnOverlayBoundIsNotTakenBack() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.bind("bme280", "bmp280", at: 0x76)
            i2c.serve(names: ["bme280"], drivers: ["bme280": "bmp280"])
            _ = try i2c.writeList(Array("1 0x76 bme280\n".utf8))
            let gone = try await Self.report(test, ForgetPart("0x76"))
            #expect(gone.outcome?.state == .elsewhere && i2c.wanted == [])
            #expect(gone.outcome?.nextStep?.contains("dtoverlay=") == true)
            #expect(gone.buses.first?.parts.map(\.state) == [.bound])
            let again = try await test.ask(ForgetPart("0x76")).error
            #expect(again?.code == .conflict && again?.message.contains("config.txt") == true)
        }
    }

    /// An overlay named parts that this kernel has no drivers for: reading one itself is offered.
    @Test func whatAnOverlayNamedInVainHasNoDriver() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.bind("sht4x", nil, at: 0x44)
            i2c.bind("ads1115", nil, at: 0x48)
            i2c.serve(names: ["sht4x", "ads1115"], drivers: [:])
            let seen = try await Self.report(test, LookAtBuses()).buses.first?.parts ?? []
            #expect(seen.last?.nextStep == "`sudo dmesg | tail` may say why")
            let used = try await Self.report(test, UsePart("0x44", name: "sht4x"))
            #expect(used.outcome?.state == .undriven)
            #expect(used.outcome?.direct == "sensirion-sht4x-direct")
            let event = test.events.last { $0.source == "control" }
            #expect(event?.kind == .plain(.partNotBound))
            #expect(event?.details.last == Event.Detail("cause", "no driver took it"))
            let listed = try await Self.report(test, UsePart("0x48", name: "ads1115"))
            let step = listed.buses.first?.parts.last?.nextStep
            #expect(step?.contains("`roost bus forget 0x48` takes it off the list") == true)
        }
    }

    /// A driver came from elsewhere between the look and root's run.
    @Test func whatIsBoundElsewhereIsBound() throws {
        let part = BusPart(bus: 1, address: 0x76, name: "bme280")
        let line = BusResult.Line(part, .elsewhere, "bmp280")
        let answered = BusAnswered(line: line, isDone: true)
        #expect(answered.isBound && answered.detail == Event.Detail("driver", "bmp280"))
        let undriven = BusAnswered(line: BusResult.Line(part, .elsewhere), isDone: true)
        #expect(!undriven.isBound)
    }

    /// By hand, as the station advised, or by a run of root that has not answered yet.
    @Test func whatWasMadeForTheListIsNotForeign() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            let used = try await Self.report(test, UsePart("0x76"))
            #expect(used.outcome?.nextStep?.contains("new_device") == true)
            i2c.bind("bme280", "bmp280", at: 0x76)
            let gone = try await Self.report(test, ForgetPart("0x76"))
            #expect(gone.outcome?.state == .waiting && i2c.wanted == [])
            #expect(gone.outcome?.nextStep?.contains("delete_device") == true)
        }
    }

    /// The second would take the first one's answer, and the first wait for its own in vain.
    @Test func oneChangeAtATime() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            i2c.put(.init(), at: 0x23)
            async let first = test.ask(UsePart("0x76"))
            try await test.clock.sleep(for: .seconds(5))
            let second = try await test.ask(UsePart("0x23")).error
            #expect(second?.code == .busy)
            let forgotten = try await test.ask(ForgetPart("0x76")).error
            #expect(forgotten?.code == .busy)
            let answer = try await first.body
            #expect(answer?.outcome?.state == .waiting)
            _ = try await Self.report(test, UsePart("0x23"))
            #expect(i2c.wanted == ["1 0x76 bme280", "1 0x23 bh1750"])
        }
    }

    @Test func aChangeIsDoneWhereNoLookIsPossibleAfterIt() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            i2c.serve(names: ["bme280"], drivers: ["bme280": "bmp280"])
            _ = try await Self.report(test, UsePart("0x76"))
            let pass = try #require(test.station.context.busTurn.pass())
            let gone = try await Self.report(test, ForgetPart("0x76"))
            pass.end()
            #expect(gone.outcome?.state == .forgotten && gone.buses.isEmpty)
            #expect(gone.why?.contains("look") == true)
        }
    }

    @Test(arguments: ["0x076", "0x6", "0x", "76", "0x+6", "0x7 ", "0x7g", "0x78", "0x07"])
    func anAddressHasTwoDigits(address: String) {
        #expect(throws: ControlFailure.self) { try UsePart(address).check() }
        #expect(throws: ControlFailure.self) { try ForgetPart(address).check() }
    }

    @Test func digitsOfEitherCaseAreOneAddress() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(), at: 0x5C)
            i2c.serve(names: ["bh1750"], drivers: ["bh1750": "bh1750"])
            let used = try await Self.report(test, UsePart("0x5C", name: "bh1750"))
            #expect(used.outcome?.state == .bound && used.outcome?.address == "0x5c")
            let again = try await test.ask(UsePart("0x5C", name: "bh1750")).error
            #expect(again?.reason == .busTaken)
            let gone = try await Self.report(test, ForgetPart("0x5C"))
            #expect(gone.outcome?.state == .forgotten && gone.outcome?.address == "0x5c")
        }
    }

    @Test func aProfileThatReadsAPartHasItsAddress() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(), at: 0x76)
            let wish = UsePart("0x76", name: "sensirion-scd4x-direct")
            let wrong = try await test.ask(wish).error
            #expect(wrong?.code == .badRequest && wrong?.pointer == "/address")
            #expect(wrong?.message == "sensirion-scd4x-direct is at 0x62, not at 0x76")
            #expect(try await Self.report(test, GetDevices()).devices.isEmpty)
        }
    }

    /// What root refused at a start stands at the part, on every page.
    @Test func whatRootRefusedIsSaid() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.put(.init(registers: [0xD0: 0x60]), at: 0x76)
            let list = Array("1 0x76 bme280\n1 0x23 bh1750\n".utf8)
            i2c.sleep(.full(path: "/run/roost/bus-wanted"))
            _ = try i2c.writeList(list)
            let waiting = try await Self.report(test, LookAtBuses()).buses.first?.parts
            #expect(waiting?.map(\.state) == [.missing, .undriven])
            let silent = "bme280 is on the list, and roost-bus.service has not bound it"
            #expect(waiting?.last?.sentence == silent)
            #expect(waiting?.last?.isListed == true)
            i2c.sleep(nil)
            i2c.serve(names: [], drivers: [:])
            _ = try i2c.writeList(list)
            let refused = try await Self.report(test, LookAtBuses()).buses.first?.parts
            let unknown = "bme280 is on the list, and no shipped profile has this name"
            #expect(refused?.last?.state == .undriven && refused?.last?.sentence == unknown)
            let missing = "and nothing answers; no shipped profile has this name"
            #expect(refused?.first?.sentence == "bh1750 is on the list, " + missing)
        }
    }

    @Test func aBoundPartOfTheListSaysSo() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            i2c.bind("bmp280", "bmp280", at: 0x76)
            i2c.bind("lm75", "lm75", at: 0x48)
            i2c.serve(names: ["bme280", "lm75"], drivers: ["lm75": "lm75"])
            _ = try i2c.writeList(Array("1 0x48 lm75\n1 0x76 bme280\n".utf8))
            let parts = try await Self.report(test, LookAtBuses()).buses.first?.parts ?? []
            #expect(parts.map(\.state) == [.bound, .bound])
            #expect(parts.first?.sentence.hasSuffix("bound it before the list did") == true)
            let taken = "; bme280 is on the list, and another part has its address"
            #expect(parts.last?.sentence.hasSuffix(taken) == true)
        }
    }

    /// A part of the list is shown whatever became of its bus.
    @Test func theListIsShownForEachStateOfABus() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1, "bcm2835", .forbidden)
            i2c.add(bus: 2, "bcm2835", .hangs)
            _ = try i2c.writeList(
                Array("1 0x76 bme280\n2 0x23 bh1750\n9 0x48 lm75\n".utf8)
            )
            let buses = try await Self.report(test, LookAtBuses()).buses
            #expect(buses.map(\.number) == [1, 2, 9])
            #expect(buses.map(\.state) == [.noAccess, .hangs, .absent])
            let states = buses.map { $0.parts.map(\.state) }
            #expect(states == [[.missing], [.missing], [.missing]])
            let unseen = "bme280 is on the list; this bus was not looked at"
            #expect(buses.first?.parts.first?.sentence == unseen)
            #expect(buses.last?.parts.first?.nextStep?.contains("0x48 --bus 9") == true)
            let absent = try await test.ask(UsePart("0x48", bus: 9, name: "lm75")).error
            #expect(absent?.code == .notFound && absent?.pointer == "/bus")
        }
    }

    @Test func anAddressThatIsNoSensorsOrFailsIsNamed() throws {
        try Self.play { test, i2c in
            i2c.add(bus: 1)
            var stuck = SimulatedI2C.Part()
            stuck.isStuck = true
            i2c.put(stuck, at: 0x23)
            i2c.put(.init(), at: 0x72)
            let parts = try await Self.report(test, LookAtBuses()).buses.first?.parts ?? []
            #expect(parts.map(\.address) == ["0x23", "0x72"])
            #expect(parts.map(\.state) == [.possible, .unknown])
            #expect(parts.first?.sentence.contains("does not finish its answer") == true)
            #expect(parts.last?.sentence.contains("a multiplexer usually has this") == true)
        }
    }
}

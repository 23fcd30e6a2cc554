import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Profiles
@testable import SimulationKit

@Suite struct BusLookTests {
    private static let profiles = ProfileCatalog.shipped.profiles

    private static func sight(
        _ buses: SimulatedI2C,
        without own: Set<UInt8> = []
    ) throws -> BusSight {
        let entry = try #require(buses.list().first)
        return BusLook.look(at: entry, of: buses, profiles, without: own)
    }

    /// What an address looks like: `bosch-bme280` for certain, `rohm-bh1750?` perhaps.
    private static func looks(_ sight: BusSight, _ address: UInt8) -> [String]? {
        sight.addresses.first { $0.address == address }?.candidates.map {
            $0.profile.id + ($0.isCertain ? "" : "?")
        }
    }

    /// Register 0xD0 or 0x00 of Bosch's parts, by their data sheets.
    @Test(arguments: [
        (UInt8(0xD0), UInt16(0x60), "bosch-bme280"), (0xD0, 0x58, "bosch-bmp280"),
        (0xD0, 0x61, "bosch-bme680"), (0xD0, 0x55, "bosch-bmp180"), (0x00, 0x50, "bosch-bmp388"),
        (0x00, 0x60, "bosch-bmp388"),
    ])
    func tellsBoschsPartsApart(register: UInt8, value: UInt16, id: String) throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        buses.put(.init(registers: [register: value]), at: 0x77)
        let sight = try Self.sight(buses)
        #expect(sight.state == .seen)
        #expect(Self.looks(sight, 0x77) == [id])
        #expect(sight.addresses.count == 1)
    }

    @Test func aPartThatSaysNothingIsNamedByItsAddress() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        buses.put(.init(), at: 0x23)
        buses.put(.init(), at: 0x62)
        buses.put(.init(registers: [0xD0: 0x99]), at: 0x76)
        let sight = try Self.sight(buses)
        #expect(Self.looks(sight, 0x23) == ["rohm-bh1750?"])
        #expect(Self.looks(sight, 0x62) == ["sensirion-scd4x?"])
        #expect(Self.looks(sight, 0x76) == [], "no part of ours has this number")
    }

    /// A serial number with right checksums is an SHT4x; without, it can be an SHT3x.
    @Test func aSerialNumberTellsAnSHT4x() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        var part = SimulatedI2C.Part()
        part.replies[0x89] = [0xBE, 0xEF, 0x92, 0xBE, 0xEF, 0x92]
        buses.put(part, at: 0x44)
        #expect(try Self.looks(Self.sight(buses), 0x44) == ["sensirion-sht4x"])
        part.replies[0x89] = [0xBE, 0xEF, 0x92, 0xBE, 0xEF, 0x93]
        buses.put(part, at: 0x44)
        #expect(try Self.looks(Self.sight(buses), 0x44) == ["sensirion-sht3x?"])
        buses.put(.init(), at: 0x44)
        #expect(try Self.looks(Self.sight(buses), 0x44) == ["sensirion-sht3x?"])
    }

    @Test func aWordTellsAnHDC1080() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        buses.put(.init(registers: [0xFF: 0x1050]), at: 0x40)
        #expect(try Self.looks(Self.sight(buses), 0x40) == ["ti-hdc1080"])
        buses.put(.init(), at: 0x40)
        let others = ["sensirion-sht2x?", "silabs-si7021?", "te-htu21?"]
        #expect(try Self.looks(Self.sight(buses), 0x40) == others)
    }

    @Test func whatTheKernelHasIsNamedAndNotAsked() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        buses.bind("bme280", "bmp280", at: 0x76)
        buses.bind("scd41", nil, at: 0x62)
        buses.put(.init(), at: 0x76)
        let sight = try Self.sight(buses, without: [0x23])
        #expect(
            sight.addresses.map(\.kind) == [
                .undriven(name: "scd41"), .bound(name: "bme280", driver: "bmp280"),
            ]
        )
        #expect(Self.looks(sight, 0x62) == ["sensirion-scd4x"])
        let asked = BusLook.addresses(Self.profiles).count - 3 + BusLook.multiplexers.count
        #expect(buses.questions.count == asked, "one question for each other address")
    }

    @Test func aBusThatAnswersEverywhereHasNoPart() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1, "bcm2835", .heldLow)
        let sight = try Self.sight(buses)
        #expect(sight.state == .everywhere && sight.addresses.isEmpty)
        let isHarmless = buses.questions.allSatisfy { $0 == .quick || $0 == .receive }
        #expect(isHarmless, "no register of what is no part")
    }

    @Test func aBusThatHangsIsLeftAfterTwoQuestions() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1, "bcm2835", .hangs)
        #expect(try Self.sight(buses).state == .hangs)
        #expect(buses.questions.count == 2)
    }

    @Test func aBusThatMayNotBeOpenedSaysWhoseItIs() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1, "bcm2835", .forbidden)
        buses.bind("bme280", "bmp280", at: 0x76)
        let sight = try Self.sight(buses)
        let error = I2CError.noPermission(
            path: "/dev/i2c-1",
            owner: "root",
            group: "i2c",
            mode: "0660"
        )
        #expect(sight.state == .closed(error))
        #expect(Self.looks(sight, 0x76) == ["bosch-bme280"], "the kernel says so all the same")
    }

    /// The controller of a Pi 5 sends no address without a byte: silent parts may be missed.
    @Test func aBusThatNeedsBytesSeesWhatItCan() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1, "Synopsys DesignWare I2C adapter", .needsBytes)
        var silent = SimulatedI2C.Part(registers: [0xD0: 0x60])
        silent.isTalkative = false
        buses.put(silent, at: 0x76)
        buses.put(.init(), at: 0x23)
        let sight = try Self.sight(buses)
        #expect(sight.state == .partly)
        #expect(Self.looks(sight, 0x76) == ["bosch-bme280"])
        #expect(Self.looks(sight, 0x23) == ["rohm-bh1750?"])
    }

    @Test func aMultiplexerHasItsChannelsAgain() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        var part = SimulatedI2C.Part()
        part.isEcho = true
        buses.put(part, at: 0x76)
        #expect(try Self.sight(buses).addresses.map(\.kind) == [.multiplexer])
        #expect(buses.lastByte() == 0x05, "what it sent before")
    }

    /// To write anything there would switch the channels of what is no sensor.
    @Test func whereAMultiplexerUsuallyIsNothingIsWritten() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        buses.put(.init(), at: 0x70)
        let sight = try Self.sight(buses)
        #expect(sight.state == .seen && sight.addresses == [BusSight.Address(0x70, .answers)])
        #expect(buses.lastByte() == nil)
    }

    @Test func anAddressThatDoesNotFinishItsAnswerIsNamed() throws {
        let buses = SimulatedI2C()
        buses.add(bus: 1)
        buses.put(.init(registers: [0xD0: 0x60]), at: 0x76)
        var stuck = SimulatedI2C.Part()
        stuck.isStuck = true
        buses.put(stuck, at: 0x23)
        let sight = try Self.sight(buses)
        #expect(sight.state == .seen)
        #expect(sight.addresses.map(\.kind) == [.unfinished, .answers])
        #expect(Self.looks(sight, 0x23) == ["rohm-bh1750?"])
        #expect(Self.looks(sight, 0x76) == ["bosch-bme280"])
        // A second one: the bus counts as hanging, and what answered before it stays.
        buses.put(.init(), at: 0x23)
        buses.put(stuck, at: 0x48)
        buses.put(stuck, at: 0x62)
        let hanging = try Self.sight(buses)
        #expect(hanging.state == .hangs)
        #expect(hanging.addresses.map(\.address) == [0x23, 0x48, 0x62])
        #expect(hanging.addresses.map(\.kind) == [.answers, .unfinished, .unfinished])
    }

    @Test(arguments: [
        ("SMBus I801 adapter at efa0", BusRules.Reason.mainboard), ("AMDGPU DM i2c", .screen),
        ("i915 gmbus dpc", .screen), ("DPDDC-A", .screen),
    ])
    func busesOfAPCAreLeftAlone(name: String, reason: BusRules.Reason) throws {
        let buses = SimulatedI2C()
        buses.add(bus: 3, name)
        #expect(try Self.sight(buses).state == .left(reason))
        #expect(buses.questions.isEmpty)
    }

    @Test(arguments: [
        "bcm2835 (i2c@7e804000)", "Synopsys DesignWare I2C adapter", "SMBus stub driver",
    ])
    func busesOfAHeaderAreLookedAt(name: String) { #expect(BusRules.reason(toLeave: name) == nil) }

    @Test func addressesThatAreNeverTouchedHaveNoPart() {
        let asked = BusLook.addresses(Self.profiles)
        #expect(asked.count > 25 && asked.allSatisfy { BusRules.ban($0) == nil })
        let named = Self.profiles.flatMap { $0.i2c?.addresses ?? [] }
        #expect(Set(named) == Set(asked), "a shipped part has an address that is never asked")
        let banned = (0...0x7F).filter { BusRules.ban($0) != nil }
        #expect(banned.count == 8 + 8 + 8 + 8 + 1)
    }

    /// No byte but one is ever written, and a number of 2 bytes is read as one.
    @Test func eachQuestionWritesOneByteAtMost() {
        for profile in Self.profiles {
            guard let identity = profile.i2c?.identity else { continue }
            #expect((1...2).contains(identity.count))
            #expect(Set(identity.contents.map(\.utf8.count)).count == 1, "\(profile.id)")
        }
    }

    /// Else `use` finds two where there is one, and asks which.
    @Test func eachPartIsOneCandidate() {
        let all = BusRules.candidates(Self.profiles)
        #expect(all.contains { $0.id == "sensirion-sgp30" })
        #expect(all.filter { $0.driver == "i2c-sensor" }.map(\.id) == [])
    }

    /// The parts that read the same one without a driver are there, and have its addresses.
    @Test func directProfilesAreThere() throws {
        for profile in Self.profiles {
            guard let facts = profile.i2c, let id = facts.direct else { continue }
            let direct = try #require(ProfileCatalog.shipped.profile(id), "\(profile.id)")
            #expect(direct.driver == "i2c-sensor")
            let isThere = !Set(facts.addresses).isDisjoint(with: direct.i2c?.addresses ?? [])
            #expect(isThere, "\(id) is elsewhere than \(profile.id)")
        }
    }
}

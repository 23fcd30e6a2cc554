import Devices
import HardwareIO
import Profiles
import Testing

@Suite struct HeaderPinTests {
    @Test func hasFortyPinsOfWhichTwentyEightAreLines() {
        #expect(HeaderPin.all.map(\.number) == Array(1...40))
        #expect(HeaderPin.all.compactMap(\.line).sorted() == Array(0...27))
        let grounds = HeaderPin.all.filter { $0.role == .ground }.map(\.number)
        #expect(grounds == [6, 9, 14, 20, 25, 30, 34, 39])
        #expect(HeaderPin.all.filter { $0.role == .power3V3 }.map(\.number) == [1, 17])
        #expect(HeaderPin.all.filter { $0.role == .power5V }.map(\.number) == [2, 4])
    }

    /// The boards' profiles were written from the device trees, this table from the documentation.
    @Test func agreesWithTheProfileOfEachBoard() throws {
        let boards = ProfileCatalog.shipped.profiles.filter { $0.board?.gpioChip != nil }
        #expect(boards.count >= 5)
        for profile in boards {
            let header = try #require(profile.board).header
            for pin in HeaderPin.all {
                let name = header[pin.number]
                #expect((name == nil) == (pin.line == nil), "\(profile.id), pin \(pin.number)")
                guard let name else { continue }
                let chip = profile.board?.gpioChip
                #expect(HeaderPin.of(.name(name), chip: chip) == pin, "\(profile.id) \(name)")
            }
        }
    }

    @Test func eachRiskHasItsSentence() {
        let risky = HeaderPin.all.filter { $0.risk != nil }
        #expect(risky.compactMap(\.line).sorted() == Array(0...11) + [14, 15])
        #expect(risky.allSatisfy { $0.hint?.isEmpty == false })
        #expect(Set(risky.compactMap(\.risk)) == Set(HeaderPin.Risk.allCases))
    }

    @Test func findsAPinByNumberAndByOldNames() {
        #expect(HeaderPin.of(.name("GPIO17"), chip: nil)?.number == 11)
        #expect(HeaderPin.of(.offset(17), chip: "pinctrl-rp1")?.number == 11)
        #expect(HeaderPin.of(.offset(17), chip: "raspberrypi-exp-gpio") == nil)
        #expect(HeaderPin.of(.name("TXD1"), chip: nil)?.number == 8)
        #expect(HeaderPin.of(.name("GPIO28"), chip: nil) == nil)
        #expect(HeaderPin.of(.name("PWR_LED_OFF"), chip: nil) == nil)
    }
}

import HardwareIO

package struct LookAtBuses: Question {
    package typealias Answer = BusReport
    package static let about = QuestionFacts(
        "buses",
        for: .peopleAndDashboard,
        "The I²C buses, and what answers at the addresses of known parts; takes some seconds."
    )

    package init() {}
}

package struct UsePart: Question {
    package typealias Answer = BusReport
    package static let about = QuestionFacts(
        "usePart",
        for: .peopleAndDashboard,
        "Gives a part on I²C its driver, now and at each start, or reads it without one."
    )
    /// `0x76`, with digits of either case.
    package let address: String
    /// The number of the bus; nil where one bus alone has something there.
    package var bus: Int?
    /// The kernel's name of the part, or a profile's id; nil where a look says it.
    package var name: String?

    package init(_ address: String, bus: Int? = nil, name: String? = nil) {
        (self.address, self.bus, self.name) = (address, bus, name)
    }

    package func check() throws(ControlFailure) {
        try ForgetPart(address, bus: bus).check()
        guard let name, !(1...64).contains(name.utf8.count) else { return }
        throw .badRequest("name is a name such as bme280, or a profile's id", at: "/name")
    }

    /// The address as a number; 0 of one that `check` refuses.
    package var number: UInt8 { ForgetPart(address).number }
}

package struct ForgetPart: Question {
    package typealias Answer = BusReport
    package static let about = QuestionFacts(
        "forgetPart",
        for: .peopleAndDashboard,
        "Takes the driver of a part on I²C away again; what it measured stays."
    )
    /// `0x76`, with digits of either case.
    package let address: String
    /// The number of the bus; nil where one bus alone has it.
    package var bus: Int?

    package init(_ address: String, bus: Int? = nil) { (self.address, self.bus) = (address, bus) }

    package func check() throws(ControlFailure) {
        let digits = address.dropFirst(2)
        guard address.hasPrefix("0x"), address.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
            BusPlace.addresses.contains(number)
        else {
            throw .badRequest("address is one of 0x08 to 0x77, such as 0x76", at: "/address")
        }
        guard let bus, !BusPart.buses.contains(bus) else { return }
        throw .badRequest("bus is a number 0 to 255", at: "/bus")
    }

    /// The address as a number; 0 of one that `check` refuses.
    package var number: UInt8 { UInt8(address.dropFirst(2), radix: 16) ?? 0 }
}

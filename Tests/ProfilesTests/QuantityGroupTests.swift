import Core
import Testing

@testable import Profiles

@Suite struct QuantityGroupTests {
    @Test func putsAirFirstAndDetailsLast() {
        let given = ["n03", "cpm", "bees", "temperature", "pm10", "pm25", "pm1", "ants"]
        let wanted = ["pm25", "pm10", "temperature", "cpm", "ants", "bees", "pm1", "n03"]
        #expect(given.sorted(by: QuantityGroup.isBefore) == wanted)
        #expect(QuantityGroup(of: "dose_rate@1") == .radiation)
        #expect(QuantityGroup(of: "bees") == .other)
    }

    /// A quantity that a shipped profile has and the table lacks would stand among people's own.
    @Test func knowsEachShippedQuantity() {
        for profile in ProfileCatalog().profiles {
            for channel in profile.channels {
                let group = QuantityGroup(of: channel.quantity.name)
                #expect(group != .other, "\(profile.id) has \(channel.quantity.name)")
            }
        }
    }
}

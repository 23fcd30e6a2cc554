import HardwareIO
import Profiles

/// Which buses and addresses a look leaves alone, and how it asks the others.
///
/// - Source: manual page i2cdetect(8) of i2c-tools: a quick write can damage EEPROMs of the kind
///   AT24RF08, a received byte can lock a bus with a write-only part, such as a clock at 0x69. So
///   it receives a byte at 0x30…0x37 and 0x50…0x5F, and writes quickly elsewhere.
package enum BusRules {
    /// Why a bus is left alone.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Memory modules, clocks and fans of a PC are on it.
        case mainboard
        /// A screen is at its other end.
        case screen
    }

    /// Why an address is never touched.
    package enum Ban: String, Hashable, Sendable, CaseIterable {
        /// Reserved by the specification of the bus.
        case reserved
        /// Write protection of memory modules: a quick write alone can set it for good.
        case writeProtection
        /// EEPROMs: that of a board on the header, of a screen, of a memory module.
        case memory
        /// Clocks. To read one harms nothing, but the sensors that have the address too, such as an
        /// MPU-6050, are none of ours.
        case clock
    }

    /// Why the address is never touched; nil of one that a part of a profile may have.
    package static func ban(_ address: UInt8) -> Ban? {
        switch address {
        case 0x30...0x37: .writeProtection
        case 0x50...0x57: .memory
        case 0x68: .clock
        case BusPlace.addresses: nil
        default: .reserved
        }
    }

    /// How to find out whether a part is there.
    static func presence(at address: UInt8) -> I2CQuestion {
        // An AT24RF08 answers at 0x5C, too. At 0x58…0x5B it does not, and the gas sensors there
        // send no byte unless they were asked to measure.
        (0x5C...0x5F).contains(address) ? .receive : .quick
    }

    /// Why a bus of this name is left alone; nil of one that sensors may be on.
    package static func reason(toLeave name: String) -> Reason? {
        let name = name.lowercased()
        // i2c-stub of the kernel, for tests, has no part at all.
        if name.contains("stub") { return nil }
        if name.contains("smbus") || name.contains("piix4") { return .mainboard }
        let screens = ["gmbus", "ddc", "aux ", "nvidia", "amdgpu", "radeon", "nouveau", "hdmi"]
        return screens.contains { name.contains($0) } ? .screen : nil
    }

    /// Parts of a profile that stand on a bus of their own, without those that read the same part
    /// without a driver, or compute something from it.
    package static func candidates(_ profiles: [Profile]) -> [Profile] {
        let known = profiles.compactMap(\.i2c).filter { $0.direct != nil }
        let direct = Set(known.compactMap(\.direct))
        return profiles.filter { profile in
            guard let facts = profile.i2c, !direct.contains(profile.id) else { return false }
            let isVariant = profile.graph != nil && profile.driver == "i2c-sensor"
            return !isVariant || !known.contains { $0.addresses == facts.addresses }
        }
    }
}

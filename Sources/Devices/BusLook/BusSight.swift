import HardwareIO
import Profiles

/// A part that an address can have.
package struct BusCandidate: Hashable, Sendable {
    package let profile: Profile
    /// Whether the part itself said so.
    package let isCertain: Bool

    package init(_ profile: Profile, isCertain: Bool) {
        (self.profile, self.isCertain) = (profile, isCertain)
    }
}

/// What one bus looks like.
package struct BusSight: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case seen
        /// Seen, but for parts that send nothing unless they are given a byte.
        case partly
        /// Not looked at: what else is on it must not be disturbed.
        case left(BusRules.Reason)
        /// It cannot be opened.
        case closed(I2CError)
        /// No transfer ends in time.
        case hangs
        /// Each address answers, so none does.
        case everywhere
        /// Transfers fail with this error number.
        case fails(Int32)
    }

    package enum Kind: Hashable, Sendable {
        /// A driver of the kernel has it.
        case bound(name: String, driver: String)
        /// The kernel knows it under this name, and no driver took it.
        case undriven(name: String)
        /// Something answers.
        case answers
        /// Something begins an answer and does not finish it, or the transfer fails.
        case unfinished
        /// It gives back what is written: a multiplexer.
        case multiplexer
    }

    package struct Address: Hashable, Sendable {
        package let address: UInt8
        package let kind: Kind
        /// What it can be; those that the part itself named alone, where there are any.
        package let candidates: [BusCandidate]

        package init(_ address: UInt8, _ kind: Kind, _ candidates: [BusCandidate] = []) {
            (self.address, self.kind, self.candidates) = (address, kind, candidates)
        }
    }

    package let bus: I2CBusEntry
    package let state: State
    /// In order of address.
    package let addresses: [Address]

    package init(_ bus: I2CBusEntry, _ state: State, _ addresses: [Address] = []) {
        (self.bus, self.state, self.addresses) = (bus, state, addresses)
    }
}

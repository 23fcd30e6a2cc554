/// The I²C buses of the station's computer, and what is on them.
package struct BusReport: Codable, Hashable, Sendable {
    package struct Bus: Codable, Hashable, Sendable {
        package enum State: String, Codable, Sendable, CaseIterable {
            case seen
            /// Seen, but for parts that this bus cannot find.
            case partly
            /// Not looked at, as memory modules or a screen are on it.
            case left
            /// Its device file is not there.
            case noDevice
            /// The station may not open it.
            case noAccess
            /// No transfer ends in time.
            case hangs
            /// Each address answers.
            case everywhere
            case fails
            /// The list names it, and it is not there.
            case absent
        }

        /// The number of `/dev/i2c-1`.
        package let number: Int
        /// The kernel's name of it.
        package let name: String
        package let state: State
        /// What is wrong with it, as a sentence; nil where nothing is.
        package let why: String?
        /// What to do about that.
        package let nextStep: String?
        /// In order of address.
        package let parts: [Part]

        package init(
            number: Int,
            name: String,
            state: State,
            why: String?,
            nextStep: String?,
            parts: [Part]
        ) {
            (self.number, self.name, self.state) = (number, name, state)
            (self.why, self.nextStep, self.parts) = (why, nextStep, parts)
        }
    }

    package struct Part: Codable, Hashable, Sendable {
        package enum State: String, Codable, Sendable, CaseIterable {
            /// A driver of the kernel has it.
            case bound
            /// The kernel knows its name, and no driver took it.
            case undriven
            /// The station reads it without a driver.
            case direct
            /// The part said what it is.
            case found
            /// Something answers that has the address of a known part.
            case possible
            /// Something answers that no profile knows.
            case unknown
            /// A multiplexer, behind which nothing is looked at.
            case multiplexer
            /// It is on the list, and nothing is there.
            case missing
        }

        /// `0x76`.
        package let address: String
        package let state: State
        /// The kernel's name of it.
        package var name: String?
        /// The kernel's driver that has it.
        package var driver: String?
        /// The station's device that reads it.
        package var device: String?
        /// What it can be.
        package var looksLike: [Candidate] = []
        /// Whether it is on the list of parts that get a driver at each start.
        package var isListed = false
        /// All of that, as a sentence.
        package var sentence = ""
        /// What to do; nil where nothing is to be done.
        package var nextStep: String?

        package init(address: String, state: State) {
            (self.address, self.state) = (address, state)
        }
    }

    /// A part that an address can have.
    package struct Candidate: Codable, Hashable, Sendable {
        /// A profile's id.
        package let profile: String
        /// As its maker writes it.
        package let name: String
        /// What the kernel calls it; nil where no driver is known.
        package let kernelName: String?
        /// The profile that reads it without a driver.
        package let direct: String?

        package init(profile: String, name: String, kernelName: String?, direct: String?) {
            (self.profile, self.name) = (profile, name)
            (self.kernelName, self.direct) = (kernelName, direct)
        }
    }

    /// A part on a wire of its own, which only a line of `config.txt` switches on.
    package struct Overlay: Codable, Hashable, Sendable {
        package let profile: String
        package let name: String
        /// The line.
        package let line: String

        package init(profile: String, name: String, line: String) {
            (self.profile, self.name, self.line) = (profile, name, line)
        }
    }

    /// What came of a part that was to be used or forgotten.
    package struct Outcome: Codable, Hashable, Sendable {
        package enum State: String, Codable, Sendable, CaseIterable {
            /// A driver has it.
            case bound
            /// No driver took it.
            case undriven
            /// Another part has the address.
            case taken
            /// The bus is not there.
            case noBus
            /// The service of root does not know the name.
            case unknown
            case failed
            /// The service of root did not answer.
            case waiting
            /// The station reads it without a driver.
            case direct
            /// It is not used any more.
            case forgotten
            /// It stays in use: an overlay or another program bound it.
            case elsewhere
        }

        package let state: State
        package let address: String
        package let name: String
        package let sentence: String
        package let nextStep: String?
        /// The profile that reads it without a driver, where that would help.
        package var direct: String?

        package init(
            _ state: State,
            address: String,
            name: String,
            sentence: String,
            nextStep: String? = nil
        ) {
            (self.state, self.address, self.name) = (state, address, name)
            (self.sentence, self.nextStep) = (sentence, nextStep)
        }
    }

    /// Why there is no bus; nil where there is one.
    package var why: String?
    /// What to do about that.
    package var nextStep: String?
    /// In order of number.
    package let buses: [Bus]
    package let overlays: [Overlay]
    /// What came of the question; nil of one that only looks.
    package var outcome: Outcome?

    package init(buses: [Bus], overlays: [Overlay]) {
        (self.buses, self.overlays) = (buses, overlays)
    }
}

import HardwareIO
import Profiles

/// Looks at the addresses of a bus that a known part can have, by questions that change nothing.
///
/// At most one byte is written to a part: the number of a register, or a command of one byte that
/// asks for a serial number. Commands of two bytes, by which SHT3x, SCD30, SCD4x, SGP and SPS30 say
/// theirs, are never sent: to another part with that address, such as the voltage output MCP4725
/// at 0x62, they would be a value. So those parts are named by their address alone.
package struct BusLook {
    /// Transfers that may fail before the bus counts as broken.
    private static let failureLimit = 2
    /// Addresses that no sensor has and a multiplexer usually has: they are asked whether something
    /// is there, and nothing else.
    package static let multiplexers: ClosedRange<UInt8> = 0x70...0x75
    /// As many answers, and no silence, are no parts.
    private static let everywhere = 8
    /// A serial number is ready after that time, ms.
    fileprivate static let pause = 10

    private let profiles: [Profile]
    private let bus: any I2CBus

    /// - Parameters:
    ///   - profiles: All that there are; those on I²C are looked for.
    ///   - bus: Open; each of its questions may block.
    package init(_ profiles: [Profile], on bus: any I2CBus) {
        self.profiles = BusRules.candidates(profiles)
        self.bus = bus
    }

    /// Addresses that are asked what is there, in order.
    package static func addresses(_ profiles: [Profile]) -> [UInt8] {
        let all = BusRules.candidates(profiles).flatMap { $0.i2c?.addresses ?? [] }
        return Set(all).filter { BusRules.ban($0) == nil }.sorted()
    }

    /// Looks at one bus of the machine.
    ///
    /// - Parameters:
    ///   - buses: Opens it; may block for seconds.
    ///   - own: Addresses that the station itself reads, which are left alone.
    package static func look(
        at entry: I2CBusEntry,
        of buses: any I2CBuses,
        _ profiles: [Profile],
        without own: Set<UInt8> = []
    ) -> BusSight {
        if let reason = BusRules.reason(toLeave: entry.name) {
            return BusSight(entry, .left(reason), known(entry, profiles))
        }
        do throws(I2CError) {
            return BusLook(profiles, on: try buses.open(entry.number)).run(entry, without: own)
        } catch {
            return BusSight(entry, .closed(error), known(entry, profiles))
        }
    }

    /// What the kernel knows of a bus, which nothing has to be asked for.
    private static func known(_ entry: I2CBusEntry, _ profiles: [Profile]) -> [BusSight.Address] {
        let profiles = BusRules.candidates(profiles)
        return entry.parts.map { part in
            let candidates = profiles.filter { $0.hasKernelName(part.name) }
            let kind = part.driver.map { BusSight.Kind.bound(name: part.name, driver: $0) }
            return BusSight.Address(
                part.address,
                kind ?? .undriven(name: part.name),
                candidates.map { BusCandidate($0, isCertain: true) }
            )
        }
    }

    /// Looks at an open bus; blocks for as long as its questions do.
    package func run(_ entry: I2CBusEntry, without others: Set<UInt8> = []) -> BusSight {
        let known = Self.known(entry, profiles)
        let own = others.union(entry.parts.map(\.address))
        let asked = Set(Self.addresses(profiles)).union(Self.multiplexers).subtracting(own)
        var (present, unfinished, isPartial) = ([UInt8](), [UInt8](), false)
        for address in asked.sorted() {
            var answer = bus.ask(BusRules.presence(at: address), at: address)
            if answer == .unable {
                answer = presenceByByte(address)
                if answer == .unable { isPartial = true }
            }
            switch answer {
            case .bytes: present.append(address)
            case .nothing, .unable: continue
            // A program has it, or a driver that came this moment.
            case .owned: continue
            case .timeOut, .failed:
                unfinished.append(address)
                guard unfinished.count >= Self.failureLimit else { continue }
                // Where nothing answered before, no address is the cause.
                let isMixed = !present.isEmpty
                let found = isMixed ? present.map { unnamed($0, .answers) } : []
                let broken = isMixed ? unfinished.map { unnamed($0, .unfinished) } : []
                let all = Self.ordered(known + found + broken)
                if case .failed(let code) = answer { return BusSight(entry, .fails(code), all) }
                return BusSight(entry, .hangs, all)
            }
        }
        if present.count >= Self.everywhere, present.count == asked.count {
            return BusSight(entry, .everywhere, known)
        }
        let found = present.map { identify($0) }
        let broken = unfinished.map { unnamed($0, .unfinished) }
        let all = Self.ordered(known + found + broken)
        return BusSight(entry, isPartial ? .partly : .seen, all)
    }

    private static func ordered(_ addresses: [BusSight.Address]) -> [BusSight.Address] {
        addresses.sorted { $0.address < $1.address }
    }

    /// What is known of an address that is not asked any more.
    private func unnamed(_ address: UInt8, _ kind: BusSight.Kind) -> BusSight.Address {
        let candidates = profiles(at: address).map { BusCandidate($0, isCertain: false) }
        return BusSight.Address(address, kind, candidates)
    }

    /// Finds out whether a part is there on a bus that cannot send an address alone.
    ///
    /// - Returns: `.unable` where a silent part can be there all the same.
    private func presenceByByte(_ address: UInt8) -> I2CAnswer {
        let received = bus.ask(.receive, at: address)
        guard received == .nothing || received == .unable else { return received }
        for profile in profiles(at: address) {
            guard let question = profile.i2c?.question else { continue }
            if case .bytes(let bytes) = bus.ask(question, at: address) { return .bytes(bytes) }
        }
        let isHeard = profiles(at: address).allSatisfy { $0.i2c?.question != nil }
        return isHeard ? .nothing : .unable
    }

    private func profiles(at address: UInt8) -> [Profile] {
        profiles.filter { $0.i2c?.addresses.contains(address) == true }
    }

    // MARK: Which part

    private func identify(_ address: UInt8) -> BusSight.Address {
        if profiles(at: address).isEmpty { return BusSight.Address(address, .answers) }
        if isMultiplexer(address) { return BusSight.Address(address, .multiplexer) }
        var (certain, possible) = ([BusCandidate](), [BusCandidate]())
        for profile in profiles(at: address) {
            switch isPart(profile, address) {
            case true?: certain.append(BusCandidate(profile, isCertain: true))
            case false?: continue
            case nil: possible.append(BusCandidate(profile, isCertain: false))
            }
        }
        return BusSight.Address(address, .answers, certain.isEmpty ? possible : certain)
    }

    /// Whether a part says that it is that of a profile; nil where it cannot say.
    private func isPart(_ profile: Profile, _ address: UInt8) -> Bool? {
        guard let facts = profile.i2c, let question = facts.question else { return nil }
        switch bus.ask(question, at: address) {
        case .bytes(let bytes):
            guard let identity = facts.identity else {
                return I2CSensorDialect.Check.words.content(of: bytes, from: 0xFF) != nil
            }
            return identity.agrees(with: bytes)
        case .nothing: return false
        case .owned, .timeOut, .unable, .failed: return nil
        }
    }

    /// Whether it is a multiplexer of the kind TCA9548A, which gives back what is written and
    /// switches its channels by that: it has those of before again.
    private func isMultiplexer(_ address: UInt8) -> Bool {
        guard (0x70...0x77).contains(address) else { return false }
        let before = bus.ask(.receive, at: address)
        for number: UInt8 in [0xD0, 0x00] {
            let answer = bus.ask(.register(number, count: 1), at: address)
            guard answer == .bytes([number]) else { return false }
        }
        if case .bytes(let channels) = before, let byte = channels.first {
            _ = bus.ask(.send(byte), at: address)
        }
        return true
    }
}

extension I2CFacts {
    /// The question whose answer sets the part apart from others; nil where no harmless one does.
    fileprivate var question: I2CQuestion? {
        if let identity { return .register(identity.register, count: identity.count) }
        return serial.map {
            .command($0.command, milliseconds: BusLook.pause, count: 3 * $0.words)
        }
    }
}

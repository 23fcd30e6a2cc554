/// Decides what a service of root does about a list of parts: nothing that the list does not ask
/// for, no name that is not known, and nothing about a part that something else has bound.
package struct BusBinding {
    package enum Act: Hashable, Sendable {
        /// Take back what an earlier run made.
        case delete(BusPart)
        case add(BusPart)
        /// An earlier run made it, and it is there, with or without a driver.
        case keep(BusPart)
        case refuse(BusPart, BusResult.Outcome, String?)

        /// The part that a result has a line about; nil of one that goes.
        package var part: BusPart? {
            switch self {
            case .delete: nil
            case .add(let part), .keep(let part), .refuse(let part, _, _): part
            }
        }
    }

    /// Acts in their order: what goes makes room first.
    ///
    /// - Parameters:
    ///   - list: What the station wants; nothing of it is believed.
    ///   - names: Names that shipped profiles know.
    ///   - buses: As the kernel lists them now.
    ///   - last: What the run before did in this boot.
    package static func acts(
        for list: BusPartList,
        names: Set<String>,
        on buses: [I2CBusEntry],
        after last: BusResult?
    ) -> [Act] {
        func present(_ part: BusPart) -> I2CBusEntry.Part? {
            buses.first { $0.number == part.bus }?.parts.first { $0.address == part.address }
        }
        let made = (last?.lines ?? []).filter(\.outcome.isMade).map(\.part)
        let gone = made.filter { part in
            !list.parts.contains(part) && present(part)?.name == part.name
        }
        let wanted = list.parts.map { part -> Act in
            guard names.contains(part.name) else { return .refuse(part, .unknown, nil) }
            guard buses.contains(where: { $0.number == part.bus }) else {
                return .refuse(part, .noBus, nil)
            }
            guard let other = present(part), !gone.contains(where: { $0.isAt(part) }) else {
                return .add(part)
            }
            guard other.name == part.name else {
                return .refuse(part, .taken, BusPart.isDriver(other.name) ? other.name : nil)
            }
            if made.contains(part) { return .keep(part) }
            let driver = other.driver.flatMap { BusPart.isDriver($0) ? $0 : nil }
            return .refuse(part, .elsewhere, driver)
        }
        return gone.map(Act.delete) + wanted
    }

    /// The lines that a run has to leave if it ends anywhere among its acts.
    ///
    /// One for each part that it may have made, or may not have taken back yet; the next run leaves
    /// out what is not there.
    package static func plan(_ acts: [Act]) -> [BusResult.Line] {
        let wanted = acts.compactMap { act -> BusResult.Line? in
            switch act {
            case .delete: nil
            case .add(let part), .keep(let part): BusResult.Line(part, .undriven)
            case .refuse(let part, let outcome, let other): BusResult.Line(part, outcome, other)
            }
        }
        let gone = acts.compactMap { act -> BusResult.Line? in
            if case .delete(let part) = act { BusResult.Line(part, .kept) } else { nil }
        }
        return wanted + gone.prefix(BusPartList.limit)
    }
}

import Core
import LinuxIO
import RoostCourier

/// Looks up the addresses of a server within 10 s, and refuses those a target may not use.
struct NameResolver: Sendable {
    /// Time for a name server's answer.
    static let patience: Duration = .seconds(10)

    private let names: NameLookup
    private let clock: any NodeClock

    init(clock: any NodeClock, names: NameLookup) { (self.clock, self.names) = (clock, names) }

    /// Returns at most four allowed addresses of a server.
    ///
    /// - Throws: `NetworkFailure`; `CancellationError`.
    func addresses(of place: ServerAddress, reach: AddressRule.Reach) async throws -> [[UInt8]] {
        let found = try await look(place)
        guard !found.isEmpty else {
            throw NetworkFailure(.unknownHost, "no name server has an address for \(place.host)")
        }
        let refusals = found.map { AddressRule.refusal($0, reach: reach) }
        let admitted = zip(found, refusals).filter { $0.1 == nil }.map(\.0)
        guard let refusal = refusals.compactMap({ $0 }).first, admitted.isEmpty else {
            return admitted
        }
        let advice = reach == .networks ? "; a target there needs \"local\": true" : ""
        let words = "\(place.host) \(refusal)\(advice)"
        throw NetworkFailure(.local, words)
    }

    private func look(_ place: ServerAddress) async throws -> [[UInt8]] {
        if place.isNumeric { return NameLookup.ask(place.host) }
        let found: [[UInt8]]?
        do {
            let deadline = clock.now.advanced(by: Self.patience)
            found = try await names.addresses(of: place.host, until: deadline)
        } catch let error as LinuxError {
            throw NetworkFailure(.local, "cannot look up \(place.host): \(error)")
        }
        guard let found else {
            let words = "the name server does not answer for \(place.host)"
            throw NetworkFailure(.nameServerSilent, words)
        }
        return found
    }
}

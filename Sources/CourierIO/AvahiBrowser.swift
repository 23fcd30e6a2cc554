import Core
import Glibc
import LinuxIO
import RoostCourier

/// Searches for other stations and servers by the machine's avahi, with its program `avahi-browse`.
///
/// The program runs in its own process group behind a guard, which ends it when this process ends,
/// when it ends itself, or when its time is up. Neither avahi nor its library has to be installed.
package struct AvahiBrowser: StationBrowser {
    package static let standardProgram = "/usr/bin/avahi-browse"
    private let program: String
    private let limit: Duration

    /// - Parameters:
    ///   - limit: How long it may take; a second is usual.
    package init(_ program: String = standardProgram, limit: Duration = .seconds(5)) {
        (self.program, self.limit) = (program, limit)
    }

    package func browse(_ type: String) async throws -> StationSearch {
        let words = [
            program, "--resolve", "--parsable", "--terminate", "--no-db-lookup", type,
        ]
        let (output, status) = try await run(words)
        guard status == 0 else {
            throw StationSearchError.failed(
                "\(program) ended with \(status); is avahi-daemon running?"
            )
        }
        return StationSearch(output, ownAddresses: Self.ownAddresses)
    }

    package func resolve(_ hosts: [String]) async throws -> [UInt8] {
        let folder = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let other = (folder + ["avahi-resolve"]).joined(separator: "/")
        do {
            // The program fails when one of the hosts has no such address.
            return try await run([other, "-4", "--name", "--"] + hosts).output
        } catch StationSearchError.noProgram {
            return []
        }
    }

    private func run(_ words: [String]) async throws -> (output: [UInt8], status: Int32) {
        do {
            // Each call has a thread of its own, as there are few calls.
            return try await DiskThread(name: "avahi").run { [self] in try execute(words) }
        } catch let error as LinuxError {
            throw StationSearchError.failed("\(error)")
        }
    }

    private func execute(
        _ words: [String]
    ) throws(StationSearchError) -> (output: [UInt8], status: Int32) {
        guard access(words[0], X_OK) == 0 else { throw .noProgram }
        do throws(GuardedProgram.Fault) {
            return try GuardedProgram(words).finish(
                within: limit,
                byteMax: AvahiServices.byteMax,
                .isDropped
            )
        } catch {
            switch error {
            case .late: throw .failed("\(words[0]) took longer than \(limit.inSeconds) s")
            case .tooLong: throw .failed("\(words[0]) said too much")
            case .system(let call, let code):
                throw .failed("\(call): \(String(cString: strerror(code)))")
            }
        }
    }

    /// IPv4 addresses of this computer.
    private static var ownAddresses: Set<String> {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: Set<String> = []
        var place = list
        while let entry = place?.pointee {
            place = entry.ifa_next
            guard let address = entry.ifa_addr, address.pointee.sa_family == AF_INET else {
                continue
            }
            let value = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            let bytes = [24, 16, 8, 0].map { String(value >> $0 & 0xFF) }
            addresses.insert(bytes.joined(separator: "."))
        }
        return addresses
    }
}

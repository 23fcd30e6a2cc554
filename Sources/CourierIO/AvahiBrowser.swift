import CCapture
import Core
import Glibc
import LinuxIO
import RoostCourier

/// Asks the machine's avahi for other stations, by its program `avahi-browse`.
///
/// The program runs in a process group of its own behind a guard, which ends it with this process,
/// with its end, or when its time is up. No library of avahi is needed, nor avahi itself.
package struct AvahiBrowser: StationBrowser {
    package static let standardProgram = "/usr/bin/avahi-browse"
    private let program: String
    private let limit: Duration

    /// - Parameters:
    ///   - program: By path.
    ///   - limit: How long it may take; a second is usual.
    package init(_ program: String = standardProgram, limit: Duration = .seconds(5)) {
        (self.program, self.limit) = (program, limit)
    }

    package func browse() async throws -> StationSearch {
        let words = [
            program, "--resolve", "--parsable", "--terminate", "--no-db-lookup", AvahiServices.type,
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
            // It ends with a failure when one of them has no such address.
            return try await run([other, "-4", "--name", "--"] + hosts).output
        } catch StationSearchError.noProgram {
            return []
        }
    }

    private func run(_ words: [String]) async throws -> (output: [UInt8], status: Int32) {
        do {
            // A thread of this call alone, as there are few.
            return try await DiskThread(name: "avahi").run { [self] in try execute(words) }
        } catch let error as LinuxError {
            throw StationSearchError.failed("\(error)")
        }
    }

    private func execute(
        _ words: [String]
    ) throws(StationSearchError) -> (output: [UInt8], status: Int32) {
        guard access(words[0], X_OK) == 0 else { throw .noProgram }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Self.failure("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var lifeline: Int32 = -1
        let guardian = ccapture_start(&arguments, environ, ends[1], &lifeline)
        close(ends[1])
        defer { close(ends[0]) }
        guard guardian > 0 else { throw Self.failure("fork") }
        let output = read(ends[0])
        let status = Self.end(guardian, isLate: output == nil)
        close(lifeline)
        guard let output else { throw .failed("\(words[0]) took longer than \(limit.inSeconds) s") }
        return (output, status)
    }

    private static func failure(_ call: String) -> StationSearchError {
        .failed("\(call): \(String(cString: strerror(errno)))")
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// All that it prints, of which `AvahiServices.byteMax` are kept; nil when time is up before.
    private func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        let end = Self.now + limit
        while true {
            let rest = Int32(clamping: Int64((end - Self.now) / .milliseconds(1)))
            var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard rest > 0 else { return nil }
            guard poll(&set, 1, rest) > 0 else { continue }
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += piece.prefix(min(count, max(0, AvahiServices.byteMax - bytes.count)))
        }
    }

    /// Waits for the program's end, or ends it, and leaves no zombie.
    ///
    /// - Returns: Its exit code; 128 and the number of a signal.
    private static func end(_ guardian: Int32, isLate: Bool) -> Int32 {
        if !isLate {
            let watch = ccapture_watch(guardian)
            var set = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
            // Its output is closed: it ends now or is killed.
            if watch >= 0 {
                poll(&set, 1, 1_000)
                close(watch)
            }
        }
        var status: Int32 = 0
        if isLate || waitpid(guardian, &status, WNOHANG) == 0 {
            // The group keeps its number while its leader is not waited for.
            kill(-guardian, SIGKILL)
            while waitpid(guardian, &status, 0) < 0, errno == EINTR {}
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Addresses of IPv4 of this computer.
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

import ArgumentParser
import FileIO
import Glibc

/// Path of this program, and the name of its machine.
enum ThisProgram {
    /// - Throws: `ExitCode` where there is no `/proc`.
    static func path() throws -> String {
        guard let path = Files.target(of: "/proc/self/exe") else { throw ExitCode(1) }
        return path
    }

    /// Ends with the process that holds the other end of standard input, however that one ends.
    static func endWithInput() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        var thread = pthread_t()
        pthread_create(
            &thread,
            &attributes,
            { _ in
                var (byte, input) = (UInt8(0), pollfd(fd: 0, events: Int16(POLLIN), revents: 0))
                repeat { poll(&input, 1, -1) } while read(0, &byte, 1) != 0
                Glibc._exit(0)
            },
            nil
        )
    }

    static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }
}

import ClientSupport
import Glibc

/// Another program of Roost: beside this one, or where a package puts it.
enum SisterProgram {
    /// - Throws: `ClientFailure`: it is not there.
    static func path(_ name: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init), as: UTF8.self)
        let folder = own.split(separator: "/").dropLast().joined(separator: "/")
        let places = ["/\(folder)/\(name)", "/usr/local/bin/\(name)", "/usr/bin/\(name)"]
        guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
            throw ClientFailure(
                message: "\(name) is not installed beside \(own); build it with "
                    + "`swift build --product \(name)`, or install the package \(name)",
                exitCode: unavailableExitCode
            )
        }
        return found
    }
}

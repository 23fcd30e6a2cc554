import ClientSupport
import FileIO
import Glibc

/// Another program of Roost: beside this one, or where a package puts it.
enum SisterProgram {
    /// - Throws: `ClientFailure`: it is not there.
    static func path(_ name: String) throws -> String {
        let own = Files.target(of: "/proc/self/exe") ?? ""
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

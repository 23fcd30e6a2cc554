import ArgumentParser
import ClientSupport
import Eyes
import Profiles

/// Option that names the configuration.
struct EyesOptions: ParsableArguments {
    @Option(help: "The configuration file.")
    var config = EyesConfiguration.standardPath

    /// The values of the file; none where there is no file.
    ///
    /// - Throws: `ExitCode` after a line that says what is wrong.
    func values() throws -> [String: JSONValue] {
        let limit = EyesConfiguration.byteLimit
        let bytes = try attempt(1) { try FileBytes.readIfThere(config, limit: limit) }
        guard let bytes else { return [:] }
        return try attempt(78) { try EyesSettings.read(bytes, file: config).values }
    }

    /// What the file says by itself; nil where it leaves the camera to its owner.
    ///
    /// - Throws: As `values`.
    func readAlone() throws -> EyesConfiguration? {
        let limit = EyesConfiguration.byteLimit
        let bytes = try attempt(1) { try FileBytes.read(config, limit: limit) }
        return try attempt(78) { try EyesSettings.read(bytes, file: config).alone }
    }

    private func attempt<Value>(_ code: Int32, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            Output.error("\(error)")
            throw ExitCode(code)
        }
    }
}

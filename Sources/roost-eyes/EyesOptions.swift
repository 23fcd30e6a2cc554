import ArgumentParser
import ClientSupport
import Eyes
import Profiles

/// Option that names the configuration.
struct EyesOptions: ParsableArguments {
    @Option(help: "The configuration file.")
    var config = EyesConfiguration.standardPath

    /// - Throws: `ExitCode` after a line that says what is wrong.
    func read() throws -> EyesConfiguration {
        let bytes: [UInt8]
        do { bytes = try FileBytes.read(config, limit: EyesConfiguration.byteLimit) } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        do { return try EyesConfiguration(bytes, file: config) } catch {
            Output.error("\(error)")
            throw ExitCode(78)
        }
    }
}

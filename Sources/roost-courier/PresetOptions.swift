import ArgumentParser
import ClientSupport
import Core
import FoundationEssentials
import Profiles
import RoostCourier

/// Option with the folder of the owner's presets.
struct PresetOptions: ParsableArguments {
    @Option(help: "The folder of presets of your own; it may be missing.")
    var presets = PresetCatalog.standardFolder

    /// - Throws: `ConfigurationError` that names the file and its mistakes; what reading throws.
    func catalog() throws -> PresetCatalog {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: presets, isDirectory: &isFolder) else {
            return .shipped
        }
        guard isFolder else { throw ConfigurationError(file: presets, message: "is no folder") }
        let names = try FileManager.default.contentsOfDirectory(atPath: presets)
        let wanted = names.filter { name in
            name.hasSuffix(".json") && !name.hasPrefix(".") && name != "preset.schema.json"
        }
        return try PresetCatalog(
            reading: wanted.sorted().prefix(PresetCatalog.ownLimit + 1).map { name in
                let path = "\(presets)/\(name)"
                return (path, try FileBytes.read(path, limit: PresetReader.byteLimit + 1))
            }
        )
    }
}

import ArgumentParser
import Camera
import ClientSupport
import Eyes
import HardwareIO

/// The option that chooses a ring of pictures.
struct RingOptions: ParsableArguments {
    @Option(help: "The file of the pictures.")
    var ring = PictureFile.standardPath

    /// - Throws: `ClientFailure`.
    func open() throws -> PictureRing {
        do { return try PictureFile.read(ring) } catch { throw failure(error) }
    }

    func failure(_ error: StorageError) -> ClientFailure {
        if case .absent = error {
            let message =
                "\(ring): no pictures; a camera is off until there is a "
                + EyesConfiguration.standardPath
            return ClientFailure(message: message, exitCode: 1)
        }
        if case .noPermission = error {
            let message =
                "\(ring): no permission; the group roost may look at pictures; deleting "
                + "without roost-eyes needs sudo"
            return ClientFailure(message: message, exitCode: 1)
        }
        return ClientFailure(message: "\(error)", exitCode: 1)
    }
}

import Camera
import Core
import Eyes
import HardwareIO
import LinuxIO

/// The camera of an `eyes.json`, and its ring on the card.
///
/// Pictures are taken on a thread of its own, the ring is changed on another: a client that deletes
/// does not wait for the camera.
final class CardCamera: MotionCamera {
    private let configuration: EyesConfiguration
    private let captures: DiskThread
    private let changes: DiskThread
    /// Server of the live picture; nil where none is configured.
    let live: LiveServer?
    let use = CameraUse()

    /// - Parameters:
    ///   - configuration: Says which camera, and where the ring is.
    ///   - masks: Keep the live picture away, too.
    ///   - live: The socket of the live picture.
    /// - Throws: `LinuxError` when there is no thread or descriptor to be had.
    init(_ configuration: EyesConfiguration, masks: MaskClock, live: String) throws {
        self.configuration = configuration
        let (mark, use) = (CaptureMark(ring: configuration.ring), use)
        self.live = try configuration.live.map { settings in
            try LiveServer(settings, path: live, mark: mark, use: use) {
                masks.refusal() ?? settings.bounds.refusal(MachineBounds.Facts.read())
            }
        }
        captures = try DiskThread(name: "camera")
        changes = try DiskThread(name: "pictures")
    }

    func isThere() -> Bool? {
        configuration.camera.map { CameraNode.first($0.choice) != nil }
    }

    var absence: String { "\(CameraTrouble.absent)" }

    func picture() async throws -> [UInt8] {
        try await captures.run { [self] in try use.during(capture) }
    }

    func changeRing<Value: Sendable>(
        _ body: @escaping @Sendable (PictureRing) throws(StorageError) -> Value
    ) async throws -> Value {
        let (path, shape) = (configuration.ring, configuration.shape)
        return try await changes.run { try PictureWriterLock.change(path, shape: shape, body) }
    }

    /// Takes a picture by the program, or from the live picture while that uses the camera.
    private func capture() throws(CaptureError) -> [UInt8] {
        let mark = CaptureMark(ring: configuration.ring)
        let program = CaptureProgram(
            configuration.command,
            limit: configuration.limit,
            byteMax: configuration.shape.pictureMax,
            mark: mark
        )
        func takePicture() throws(CaptureError) -> [UInt8] {
            // Processes that left the program's group would pile up, one for each motion.
            defer { _ = mark.endLeftovers() }
            return try program.run()
        }
        guard let live else { return try takePicture() }
        let bytes = try live.picture(within: configuration.limit, takePicture)
        guard bytes.count <= configuration.shape.pictureMax else {
            throw .tooLarge(byteMax: configuration.shape.pictureMax)
        }
        return bytes
    }
}

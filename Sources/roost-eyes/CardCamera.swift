import Camera
import Core
import Eyes
import HardwareIO
import LinuxIO

/// The camera that is configured, and its ring on the card.
///
/// Pictures are taken on a thread of its own, the ring is changed on another: a client that deletes
/// does not wait for the camera.
final class CardCamera: MotionCamera {
    private let configuration: EyesConfiguration
    private let captures: DiskThread
    private let changes: DiskThread
    /// Server of the live picture; nil where none is configured.
    let live: LiveServer?
    private let use: CameraUse

    /// - Parameters:
    ///   - configuration: Says which camera, and where the ring is.
    ///   - masks: Keep the live picture away, too.
    ///   - live: The socket of the live picture.
    ///   - use: Knows that the camera is read.
    /// - Throws: `LinuxError` when there is no thread or descriptor to be had.
    init(
        _ configuration: EyesConfiguration,
        masks: MaskClock,
        live: String,
        use: CameraUse
    ) throws {
        (self.configuration, self.use) = (configuration, use)
        let mark = CaptureMark(ring: configuration.ring)
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
        // Without pictures of motions none is to come: those of before may go.
        let (path, shape) = (configuration.ring, configuration.records ? configuration.shape : nil)
        return try await changes.run { try PictureWriterLock.change(path, shape: shape, body) }
    }

    /// Takes a picture by the program, or from the live picture while that uses the camera.
    private func capture() throws(CaptureError) -> [UInt8] {
        guard let live else { return try Self.takePicture(configuration) }
        let bytes = try live.picture(within: configuration.limit) { () throws(CaptureError) in
            try Self.takePicture(configuration)
        }
        guard bytes.count <= configuration.shape.pictureMax else {
            throw .tooLarge(byteMax: configuration.shape.pictureMax)
        }
        return bytes
    }

    /// Takes a picture by the program of a configuration.
    ///
    /// - Parameter isAlone: Whether no live picture runs, whose processes have the same mark.
    static func takePicture(
        _ configuration: EyesConfiguration,
        isAlone: Bool = true
    ) throws(CaptureError) -> [UInt8] {
        let mark = isAlone ? CaptureMark(ring: configuration.ring) : nil
        // Processes that left the program's group would pile up, one for each motion.
        defer { _ = mark?.endLeftovers() }
        let program = CaptureProgram(
            configuration.command,
            limit: configuration.limit,
            byteMax: configuration.shape.pictureMax,
            mark: mark
        )
        return try program.run()
    }

    /// Takes a picture with other settings, or from the live picture while that uses the camera.
    func trial(_ wanted: EyesConfiguration) async throws -> CameraTrial.Picture {
        try await captures.run { [self] in
            try use.during { () throws(CaptureError) in
                guard let live, isSameCamera(wanted) else {
                    let bytes = try Self.takePicture(wanted, isAlone: live == nil)
                    return CameraTrial.Picture(bytes, isOfLive: false)
                }
                var isOfLive = true
                let bytes = try live.picture(within: wanted.limit) { () throws(CaptureError) in
                    isOfLive = false
                    return try Self.takePicture(wanted)
                }
                return CameraTrial.Picture(bytes, isOfLive: isOfLive)
            }
        }
    }

    /// Whether two configurations use one camera; programs are thought to.
    private func isSameCamera(_ wanted: EyesConfiguration) -> Bool {
        guard let own = configuration.camera, let other = wanted.camera else { return true }
        return CameraNode.first(own.choice)?.path == CameraNode.first(other.choice)?.path
    }
}

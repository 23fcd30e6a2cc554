import Camera
import Core
import Eyes
import HardwareIO
import LinuxIO
import Synchronization

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
    private let hasEnded = Mutex(false)
    /// Shape of the ring when it was last opened.
    private let found = Mutex<PictureShape?>(nil)

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
            let cover = configuration.cover
            return try LiveServer(settings, path: live, mark: mark, use: use, cover: cover) {
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

    /// Shape of the ring; the wanted one until it was opened.
    var shape: PictureShape { found.withLock { $0 } ?? configuration.shape }

    // MARK: - The end

    /// Lets go of the camera: pictures that wait for their turn are not taken any more.
    func end() {
        hasEnded.withLock { $0 = true }
        live?.stop()
    }

    /// Waits, after `end`, until the picture that is being taken is over.
    func drain() async throws { try await captures.run {} }

    /// - Throws: `ended`, after which the camera may be that of other settings.
    private func demandCamera() throws(CaptureError) {
        if hasEnded.withLock({ $0 }) { throw .ended }
    }

    // MARK: - Pictures and ring

    func picture() async throws -> [UInt8] {
        try await captures.run { [self] in
            try demandCamera()
            return try use.during(capture)
        }
    }

    func changeRing<Value: Sendable>(
        asFound: Bool,
        _ body: @escaping @Sendable (PictureRing) throws(StorageError) -> Value
    ) async throws -> Value {
        // Without pictures of motions none is to come: those of before may go.
        let isOld = asFound || !configuration.records
        return try await changes.run { [self] in
            let shape = isOld ? nil : configuration.shapeInUse
            return try PictureWriterLock.change(
                configuration.ring,
                shape: shape
            ) { ring throws(StorageError) in
                found.withLock { $0 = ring.shape }
                return try body(ring)
            }
        }
    }

    /// Takes a picture by the program, or from the live picture while that uses the camera.
    private func capture() throws(CaptureError) -> [UInt8] {
        guard let live else { return try takeWhileOwn(configuration) }
        let bytes = try live.picture(within: configuration.limit) { () throws(CaptureError) in
            try takeWhileOwn(configuration)
        }
        let byteMax = configuration.shapeInUse.pictureMax
        guard bytes.count <= byteMax else { throw .tooLarge(byteMax: byteMax) }
        return bytes
    }

    /// Takes a picture by the program of a configuration while the camera is this one's.
    private func takeWhileOwn(
        _ configuration: EyesConfiguration,
        isAlone: Bool = true
    ) throws(CaptureError) -> [UInt8] {
        try demandCamera()
        return try Self.takePicture(configuration, isAlone: isAlone) { [self] in
            hasEnded.withLock { $0 }
        }
    }

    /// Takes a picture by the program of a configuration.
    ///
    /// - Parameters:
    ///   - isAlone: Whether no live picture runs, whose processes have the same mark.
    ///   - hasEnded: Whether those of another camera may have it by now.
    static func takePicture(
        _ configuration: EyesConfiguration,
        isAlone: Bool = true,
        hasEnded: () -> Bool = { false }
    ) throws(CaptureError) -> [UInt8] {
        let mark = isAlone ? CaptureMark(ring: configuration.ring) : nil
        // Processes that left the program's group would pile up, one for each motion.
        defer { if !hasEnded() { _ = mark?.endLeftovers() } }
        let program = CaptureProgram(
            configuration.command,
            limit: configuration.limit,
            byteMax: configuration.shapeInUse.pictureMax,
            mark: mark,
            cover: configuration.cover
        )
        return try program.run()
    }

    /// Takes a picture with other settings, or from the live picture while that uses the camera.
    func trial(
        _ wanted: EyesConfiguration,
        _ turn: CameraTrial.Turn
    ) async throws -> CameraTrial.Picture {
        try await captures.run { [self] in
            defer { turn.end() }
            try demandCamera()
            return try use.during { () throws(CaptureError) in
                guard let live, isSameCamera(wanted) else {
                    let bytes = try takeWhileOwn(wanted, isAlone: live == nil)
                    return CameraTrial.Picture(bytes, isOfLive: false)
                }
                var isOfLive = true
                let bytes = try live.picture(within: wanted.limit) { () throws(CaptureError) in
                    isOfLive = false
                    return try takeWhileOwn(wanted)
                }
                // A picture of the live one has the parts covered that are in use.
                return CameraTrial.Picture(
                    isOfLive ? try wanted.cover.covering(bytes) : bytes,
                    isOfLive: isOfLive
                )
            }
        }
    }

    /// Whether two configurations use one camera; programs are thought to.
    private func isSameCamera(_ wanted: EyesConfiguration) -> Bool {
        guard let own = configuration.camera, let other = wanted.camera else { return true }
        return CameraNode.first(own.choice)?.path == CameraNode.first(other.choice)?.path
    }
}

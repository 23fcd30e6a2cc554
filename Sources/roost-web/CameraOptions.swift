import ArgumentParser
import Camera
import ControlProtocol
import Logging
import NIOCore
import RoostWeb

/// Options for the pictures of motions: their path, and the socket of `roost-eyes`.
struct CameraOptions: ParsableArguments {
    @Option(help: "The socket of roost-eyes.")
    var eyes = StandardSocket.camera

    @Option(help: "The file of the pictures.")
    var pictures = PictureFile.standardPath

    @Option(help: "The socket of the live picture of roost-eyes.")
    var liveSocket = LivePictureMessage.standardSocket

    func camera(on loop: any EventLoop, _ logger: Logger) -> RecordRoutes.Camera {
        RecordRoutes.Camera(
            cache: PictureCache(path: pictures),
            eyes: client(on: loop),
            live: LivePicture(LiveStream(path: liveSocket, on: loop), logger: logger)
        )
    }

    /// The connection to `roost-eyes`.
    func client(on loop: any EventLoop) -> StationClient {
        StationClient(path: eyes, on: loop, of: ("camera", "roost-eyes"))
    }

    /// The programs beside the station that a backup asks.
    func programs(
        beside courier: StationClient?,
        on loop: any EventLoop
    ) -> [BackupOwner: StationClient] {
        var programs = [BackupOwner.camera: client(on: loop)]
        programs[.courier] = courier
        return programs
    }

    /// Routes for motions, the live picture and the camera's settings.
    ///
    /// - Parameter looks: Writes down who looked; nil where there are no accounts.
    static func routes(
        _ history: HistoryClient,
        _ eyes: RecordRoutes.Camera?,
        _ looks: PictureAccessLog?
    ) -> [Route] {
        RecordRoutes(history, eyes, looks).all + LiveRoutes(eyes, looks).all
            + CameraRoutes(eyes, looks).all
    }
}

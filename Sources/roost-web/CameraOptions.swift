import ArgumentParser
import ControlProtocol
import NIOCore
import Pictures
import RoostWeb

/// Where the pictures of motions are, and the process that takes them.
struct CameraOptions: ParsableArguments {
    @Option(help: "The socket of roost-eyes.")
    var eyes = EyesRequest.standardSocket

    @Option(help: "The file of the pictures.")
    var pictures = PictureFile.standardPath

    func camera(on loop: any EventLoop) -> RecordRoutes.Camera {
        RecordRoutes.Camera(
            shelf: PictureShelf(path: pictures),
            eyes: EyesClient(path: eyes, on: loop)
        )
    }
}

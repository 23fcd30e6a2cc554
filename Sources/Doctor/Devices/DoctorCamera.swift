import ControlProtocol

/// The camera's configuration, and what its process says.
struct DoctorCamera {
    static let path = "/etc/roost/eyes.json"

    /// Whether there is an `eyes.json`, so that a camera is wanted.
    var isWanted = false
    /// Answer of `roost-eyes`; nil for an image.
    var answer: DoctorMachine.CameraAnswer?

    init() {}

    init(_ tree: DoctorTree, _ machine: DoctorMachine) {
        isWanted = tree.exists(Self.path)
        answer = machine.camera()
    }
}

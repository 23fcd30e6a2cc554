import Configuration
import Devices
import LinuxPlatform
import Profiles
import Station

/// Everything that the checks of `roost doctor` decide on, gathered once.
///
/// A nil says that it cannot be known: there is no such file, or it is an image and not a machine.
package struct DoctorFacts {
    /// The tree is not the running machine, so nothing of the kernel's is true of it.
    var isImage = false
    /// Model such as `Raspberry Pi 4 Model B Rev 1.4`; nil without a device tree.
    var model: String?
    /// The built-in profile of this model of board.
    var board: Profile?
    var kernel: KernelVersion?
    /// The user who runs the check; nil for an image.
    var user: DoctorUser?
    /// Processes by name, in order of their numbers.
    var processes: [DoctorProcess] = []

    /// Folders that are there and cannot be read, with the reason.
    var unread: [String: String] = [:]

    var ports = DoctorPorts()
    var pins = DoctorPins()
    var health = DoctorHealth()
    var radio = DoctorRadio()
    var card = DoctorCard()
    var station = DoctorStation()
    var courier = DoctorCourier()
    var camera = DoctorCamera()
    var image = DoctorBoard()

    /// A Pi, or the image of a card for one: there is no device tree without a machine.
    var isPi: Bool {
        model?.hasPrefix("Raspberry Pi") ?? (isImage && pins.firmwareFile != nil)
    }

    /// The configuration, when there is one and it is right.
    var configuration: StationConfiguration? { try? station.configuration?.get() }

    /// How a station is started here.
    var startStation: String {
        station.hasService
            ? "sudo systemctl start roostd" : "sudo roostd --config \(station.path)"
    }

    /// How one that hangs is started anew.
    var restartStation: String {
        guard !station.hasService else { return "sudo systemctl restart roostd" }
        let running = processes.first { $0.name == "roostd" }?.id ?? station.lockHolder
        return running.map { "sudo kill -9 \($0) && \(startStation)" } ?? startStation
    }

    func runs(_ name: String) -> Bool { processes.contains { $0.name == name } }
}

struct DoctorProcess: Hashable {
    let id: Int32
    /// Name, at most 15 bytes of it: the kernel keeps no more.
    let name: String
}

extension DoctorFacts {
    /// Reads everything once.
    ///
    /// Opens no port, no line and no watchdog, and writes nothing.
    ///
    /// - Parameters:
    ///   - place: The tree and who answers for the machine.
    ///   - step: Called before each part with its name.
    package init(_ place: DoctorRoot, step: (String) -> Void = { _ in }) {
        let (tree, machine) = (place.tree, place.machine)
        step("the board")
        isImage = machine.user == nil
        model = tree.line("/proc/device-tree/model")
        kernel = tree.line("/proc/sys/kernel/osrelease").flatMap { KernelVersion($0) }
        user = machine.user
        processes = tree.names("/proc").compactMap { Int32($0) }.sorted().compactMap { id in
            tree.line("/proc/\(id)/comm").map { DoctorProcess(id: id, name: $0) }
        }
        step("the profiles")
        let named = tree.bytes(place.configurationPath)
            .flatMap { StationConfiguration.profileFolder(in: $0) }
        let overlay = ProfileFolder.files(tree.full(named ?? place.profilesFolder))
        let catalog =
            overlay.isEmpty ? .shipped : ProfileCatalog(overlay: overlay, reader: .checking)
        board = catalog.board(model: model)
        step("the station")
        station = DoctorStation(place, catalog, ownProfileCount: overlay.count)
        let serialPorts = configuration?.serialPorts.map(\.port) ?? []
        courier = DoctorCourier(tree)
        camera = DoctorCamera(tree, machine)
        step("the ports")
        ports = DoctorPorts(tree, machine, catalog, wanted: serialPorts)
        step("the pins")
        pins = DoctorPins(tree, machine)
        step("power and clock")
        health = DoctorHealth(tree, machine)
        radio = DoctorRadio(tree)
        step("the card")
        let folder = configuration?.store?.folder ?? StoreConfiguration.defaultFolder
        card = DoctorCard(tree, machine, folder: folder)
        image = DoctorBoard(tree, isImage: isImage)
        unread = tree.unread.all
    }
}

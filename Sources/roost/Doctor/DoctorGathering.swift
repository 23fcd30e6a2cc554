import ClientSupport
import Configuration
import Core
import Devices
import HardwareIO
import LinuxPlatform
import Profiles
import Station
import Store

/// Where a check looks.
struct DoctorPlace {
    let tree: DoctorTree
    let machine: DoctorMachine
    /// The configuration file, below the root.
    var configurationPath = "/etc/roost/roost.json"
    /// The folder of the owner's profiles, below the root, unless the configuration names one.
    var profilesFolder = ProfileCatalog.standardFolder
}

extension DoctorFacts {
    /// Reads everything once.
    ///
    /// Opens no port, no line and no watchdog, and writes nothing.
    ///
    /// - Parameters:
    ///   - place: The tree and who answers for the machine.
    ///   - step: Called before each part with its name.
    init(_ place: DoctorPlace, step: (String) -> Void = { _ in }) {
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
        step("the ports")
        ports = DoctorPorts(tree, machine, catalog, wanted: serialPorts)
        step("the pins")
        pins = DoctorPins(tree, machine)
        step("power and clock")
        health = DoctorHealth(tree, machine)
        step("the card")
        let folder = configuration?.store?.folder ?? StoreConfiguration.defaultFolder
        card = DoctorCard(tree, machine, folder: folder)
    }
}

extension DoctorStation {
    fileprivate init(
        _ place: DoctorPlace,
        _ catalog: ProfileCatalog,
        ownProfileCount: Int
    ) {
        let (tree, machine) = (place.tree, place.machine)
        path = place.configurationPath
        if let bytes = tree.bytes(path) {
            configuration = Result { () throws(ConfigurationError) in
                try StationConfiguration.read(
                    bytes,
                    file: path,
                    profiles: catalog.profiles,
                    broken: catalog.broken
                )
            }
        } else if tree.exists(path) {
            configuration = .failure(
                ConfigurationError(file: path, message: "cannot be read; use sudo")
            )
        }
        let ports = (try? configuration?.get())?.serialPorts.map(\.port) ?? []
        configuredPorts = ports
        usedPorts = ports.filter(tree.exists).map(tree.resolved)
        missingPorts = ports.filter { !tree.exists($0) }
        profileProblems = catalog.problems.flatMap(\.lines)
        profileNotes = catalog.notes
        hasService = ["/etc", "/usr/lib", "/lib"].contains { folder in
            tree.exists("\(folder)/systemd/system/roostd.service")
        }
        self.ownProfileCount = ownProfileCount
        let known = try? configuration?.get()
        let socket = known?.socket ?? StationConfiguration.defaultSocket
        lockHolder = Self.holder(of: "\(socket).lock", in: tree)
        answer = machine.answer(tree.full(socket))
        now = machine.now
        boards = (known?.boards ?? []).map { board in
            Board(
                device: board.device,
                address: board.target.description,
                trouble: machine.boardTrouble(board.target)
            )
        }
        guard let store = known?.store else { return }
        guard tree.exists(store.folder) else {
            self.store = .missing
            return
        }
        self.store = .there(isWritable: machine.mayWrite(tree.full(store.folder)))
        history = LastSample(StoreFolder(path: tree.full(store.folder)))
    }

    /// The process that holds a lock: the file says its number, the kernel that it has one.
    ///
    /// A process that was killed leaves its number, which another may have by now, but no lock.
    ///
    /// - Source: proc_locks(5): `1: FLOCK ADVISORY WRITE 123 fd:01:456 0 EOF`.
    private static func holder(of path: String, in tree: DoctorTree) -> Int32? {
        guard let id = tree.line(path).flatMap({ Int32($0) }) else { return nil }
        let locks = (tree.text("/proc/locks") ?? "").split(separator: "\n").map(\.fields)
        let holds = locks.contains { fields in
            fields.count > 4 && fields[1] == "FLOCK" && fields[3] == "WRITE" && fields[4] == "\(id)"
        }
        return holds ? id : nil
    }
}

extension DoctorStation.LastSample {
    /// The newest sample of what the station itself measured.
    fileprivate init(_ folder: StoreFolder) {
        guard FileBytes.size(folder.historyPath) != nil else {
            self = .noHistory
            return
        }
        do {
            let newest = try withStore(folder) { () throws -> (isThere: Bool, wall: WallTime?) in
                let reader = try folder.reader()
                let times = try StoreTimes(reader)
                var newest: (isThere: Bool, wall: WallTime?) = (false, nil)
                for stream in try reader.streams() where !stream.id.isImported {
                    guard let last = try reader.spans(of: stream.id).last else { continue }
                    newest.isThere = true
                    let tick = Tick(tenths: last.to.tenths - 1)
                    let wall = times.clock.time(last.boot, tick)?.wall
                    newest.wall = [newest.wall, wall].compactMap(\.self).max()
                }
                return newest
            }
            self = newest.isThere ? .taken(newest.wall) : .empty
        } catch {
            self = .unreadable(words: "\(error)")
        }
    }
}

extension StationConfiguration {
    /// Serial ports by device, in the file's order.
    var serialPorts: [(device: String, port: String)] {
        devices.compactMap { device in
            guard case .sensor(let sensor) = device.kind else { return nil }
            return (device.name, sensor.port)
        }
    }

    /// Devices on the network, in the file's order.
    var boards: [(device: String, target: HTTPTarget)] {
        devices.compactMap { device in
            guard case .http(let board) = device.kind else { return nil }
            return (device.name, board.target)
        }
    }

    /// What the lights and the devices on pins want of them.
    var wantedLines: [DoctorWantedLine] {
        var wanted: [DoctorWantedLine] = devices.compactMap { device in
            let (chip, line): (String?, LineRequest.Line)
            switch device.kind {
            case .pir(let pir): (chip, line) = (pir.chipLabel, pir.line)
            case .button(let button): (chip, line) = (button.chipLabel, button.line)
            case .led(let led): (chip, line) = (led.settings.chipLabel, led.settings.line)
            case .sensor, .http: return nil
            }
            return DoctorWantedLine(user: device.name, chip: chip, line: line)
        }
        if case .lines(let chip, let lines, _) = lights?.output {
            wanted += lines.map { DoctorWantedLine(user: "lights", chip: chip, line: $0) }
        }
        return wanted
    }
}

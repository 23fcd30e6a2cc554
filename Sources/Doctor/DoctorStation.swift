import Configuration
import ControlProtocol
import Core
import Devices
import Glibc
import HardwareIO
import LinuxPlatform
import Profiles
import Station
import Store
import StoreQueries

/// The station's own files, and whether it runs.
struct DoctorStation {
    enum Store: Hashable {
        case missing
        /// `isWritable` is nil when it does not apply.
        case there(isWritable: Bool?)
    }

    enum LastSample: Hashable {
        case noHistory
        case unreadable(words: String)
        /// A history without a sample.
        case empty
        /// When the newest sample was measured; nil when nothing dates it.
        case taken(WallTime?)
    }

    /// A configured device on the network.
    struct HTTPDevice: Hashable {
        let device: String
        let address: String
        /// Why it gives nothing; nil when it answers.
        let trouble: String?
    }

    var path = ""
    /// The configuration, or everything that is wrong in the file; nil without a file.
    var configuration: Result<StationConfiguration, ConfigurationError>?
    /// Ports of the configuration, as it names them.
    var configuredPorts: [String] = []
    /// The nodes that they lead to.
    var usedPorts: [String] = []
    /// Configured ports whose links lead nowhere.
    var missingPorts: [String] = []
    /// Devices on the network; none of an image.
    var httpDevices: [HTTPDevice] = []
    var profileProblems: [String] = []
    var profileNotes: [String] = []
    var ownProfileCount = 0
    /// systemd knows a service `roostd`.
    var hasService = false
    /// The process that holds the station's lock.
    var lockHolder: Int32?
    /// Answer of the station at its socket; nil for an image.
    var answer: DoctorMachine.StationAnswer?
    var store: Store?
    var history: LastSample?
    /// The time by a clock that is trusted.
    var now: WallTime?
}

extension DoctorStation {
    init(
        _ place: DoctorRoot,
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
        profileProblems = catalog.problems.flatMap { error in
            error.problems.map { "\(error.file): \($0)" }
        }
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
        httpDevices = (known?.httpDevices ?? []).map { device in
            HTTPDevice(
                device: device.device,
                address: device.target.description,
                trouble: machine.httpTrouble(device.target)
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
    init(_ folder: StoreFolder) {
        guard access(folder.historyPath, F_OK) == 0 else {
            self = .noHistory
            return
        }
        do {
            let newest = try folder.reading { () throws -> (isThere: Bool, wall: WallTime?) in
                let reader = try folder.reader()
                let times = try StoreTimes(reader)
                var newest: (isThere: Bool, wall: WallTime?) = (false, nil)
                for stream in try reader.streams() where !stream.id.isImported {
                    guard let last = try StreamExtents(reader).spans(of: stream.id).last else {
                        continue
                    }
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

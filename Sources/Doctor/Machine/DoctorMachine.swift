import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO

/// Questions that only a running machine can answer, so that tests can replace it.
///
/// Paths are those of the machine that asks, the root included.
package struct DoctorMachine: Sendable {
    /// Answer of `roostd` at its socket.
    package enum StationAnswer: Hashable {
        case answers(processID: Int32, faults: [FaultReport], clock: ClockReport? = nil)
        /// No process listens at the socket.
        case absent
        case refuses(words: String)
        /// A process listens and does not answer.
        case hangs(words: String)
    }

    /// Answer of `roost-eyes` at its socket.
    package enum CameraAnswer: Sendable {
        case report(EyesReport)
        /// No process listens at the socket.
        case absent
        case refuses(words: String)
    }

    /// The user who asks; nil for an image.
    var user: DoctorUser?
    /// A node's group and mode, and whether the user may use it; nil when it is not there.
    var node: @Sendable (_ path: String) -> DoctorNode?
    /// Whether the user may write there; nil when it does not apply.
    var mayWrite: @Sendable (_ path: String) -> Bool?
    var space: @Sendable (_ path: String) -> DoctorSpace?
    /// The GPIO chips; nil for an image.
    var chips: @Sendable () -> [DoctorChip]?
    /// Version of libgpiod.
    var library = ""
    /// Another program that has a node open.
    var holder: @Sendable (_ path: String) -> String?
    /// Asks the station at its socket; nil for an image.
    var answer: @Sendable (_ socket: String) -> StationAnswer?
    /// Asks `roost-eyes` for its status; nil for an image.
    var camera: @Sendable () -> CameraAnswer? = { nil }
    /// Why a device on the network gives nothing; nil when it answers, and for an image.
    var httpTrouble: @Sendable (_ target: HTTPTarget) -> String?
    /// Whether the kernel's clock is kept right; nil for an image.
    var clockIsSynchronised: Bool?
    /// The time, as far as it is trusted.
    var now: WallTime?
}

extension DoctorMachine {
    /// Time limit for a station's answer; after it the station counts as hanging.
    package static let answerLimit: Duration = .seconds(5)

    /// The image of a card, or any tree of files: nothing runs there.
    package static let image = DoctorMachine(
        node: { Self.node($0, mayUse: nil) },
        mayWrite: { _ in nil },
        space: { _ in nil },
        chips: { nil },
        holder: { _ in nil },
        answer: { _ in nil },
        httpTrouble: { _ in nil }
    )

    /// This machine.
    ///
    /// - Parameters:
    ///   - answer: Asks the station at its socket.
    /// - Returns: What answers for it.
    package static func live(
        asking answer: @escaping @Sendable (_ socket: String) -> StationAnswer?,
        camera: @escaping @Sendable () -> CameraAnswer? = { nil }
    ) -> DoctorMachine {
        let time = (try? EventLoop())?.clock.wallTime
        return DoctorMachine(
            user: .current,
            node: { path in Self.node(path, mayUse: mayAccess(path, R_OK | W_OK)) },
            mayWrite: { path in mayAccess(path, W_OK | X_OK) },
            space: space,
            chips: chips,
            library: LinuxGPIO.libraryVersion,
            holder: { Holders.describe(of: $0) },
            answer: answer,
            camera: camera,
            httpTrouble: httpTrouble,
            clockIsSynchronised: time != nil,
            now: time
        )
    }

    private static func mayAccess(_ path: String, _ kind: Int32) -> Bool {
        faccessat(AT_FDCWD, path, kind, AT_EACCESS) == 0
    }

    private static func node(_ path: String, mayUse: Bool?) -> DoctorNode? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let digits = String(status.st_mode & 0o7777, radix: 8)
        return DoctorNode(
            path: path,
            group: groupName(status.st_gid),
            mode: String(repeating: "0", count: max(4 - digits.count, 0)) + digits,
            mayUse: mayUse
        )
    }

    fileprivate static func groupName(_ id: gid_t) -> String {
        guard let group = getgrgid(id) else { return "\(id)" }
        return String(cString: group.pointee.gr_name)
    }

    private static func space(_ path: String) -> DoctorSpace? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = Int(status.f_frsize)
        return DoctorSpace(
            totalBytes: Int(status.f_blocks) * unit,
            freeBytes: Int(status.f_bavail) * unit
        )
    }

    private static func chips() -> [DoctorChip]? {
        LinuxGPIO.chips().compactMap { report in
            let mayUse = mayAccess(report.path, R_OK | W_OK)
            guard let node = node(report.path, mayUse: mayUse) else { return nil }
            let lines = report.lines.map { line in
                let holder = line.isUsed ? line.consumer ?? "" : nil
                return DoctorChip.Line(offset: line.offset, name: line.name, holder: holder)
            }
            return DoctorChip(node: node, label: report.label, lines: lines)
        }
    }

    /// Asks as the station asks; that changes nothing there.
    private static func httpTrouble(_ target: HTTPTarget) -> String? {
        do {
            let loop = try EventLoop()
            let response = try loop.run {
                try await LinuxHTTP(on: loop).get(
                    target,
                    until: loop.clock.now.advanced(by: answerLimit)
                )
            }
            return response.status == 200 ? nil : "\(target): status \(response.status)"
        } catch {
            return "\(error)"
        }
    }
}

extension DoctorUser {
    /// The user who runs this process, with the groups that it really has.
    static var current: DoctorUser {
        let id = geteuid()
        let name = getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "\(id)"
        var groups = [gid_t](repeating: 0, count: 1_024)
        let count = getgroups(Int32(groups.count), &groups)
        let all = Set(groups.prefix(Int(max(count, 0))) + [getegid()])
        return DoctorUser(
            name: name,
            isRoot: id == 0,
            groups: all.map(DoctorMachine.groupName).sorted()
        )
    }
}

/// A user and the groups that count for what may be opened.
struct DoctorUser: Hashable {
    let name: String
    let isRoot: Bool
    let groups: [String]
}

/// A device node, and whether who asks may use it.
struct DoctorNode: Hashable {
    let path: String
    var group: String
    /// Permissions such as `0660`.
    var mode: String
    /// Whether the user may use the node; nil when it does not apply, as in an image.
    var mayUse: Bool?
}

struct DoctorSpace: Hashable {
    let totalBytes: Int
    let freeBytes: Int
}

/// A GPIO chip and its lines.
struct DoctorChip: Hashable {
    struct Line: Hashable {
        let offset: Int
        var name: String?
        /// Name of the process that holds the line, `""` when it gave none; nil when it is free.
        var holder: String?
    }

    let node: DoctorNode
    /// Label of the chip; nil when it could not be opened.
    var label: String?
    var lines: [Line] = []
}

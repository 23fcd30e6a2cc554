import CCapture
import FileIO
import Glibc
import LinuxIO

/// Marks all processes of a capture by an environment variable.
///
/// The next start of `roost-eyes` uses the mark to find and end processes that outlived both the
/// last `roost-eyes` and its guard.
///
/// A process that removes the variable from its environment is not found; under systemd the
/// service's control group ends that process too.
package struct CaptureMark: Hashable, Sendable {
    private static let name = "ROOST_CAPTURE"
    /// Rounds of the search: a process that is ended may have started another before.
    private static let rounds = 8
    private static let environmentMax = 1 << 20

    private let text: String

    /// - Parameter ring: Path of the picture file, which only one `roost-eyes` at a time uses.
    package init(ring: String) { text = "\(Self.name)=\(ring)" }

    /// Returns this process's environment with the mark.
    static func environment(with mark: CaptureMark?) -> [String] {
        GuardedProgram.ownEnvironment.filter { !$0.hasPrefix("\(name)=") }
            + (mark.map { [$0.text] } ?? [])
    }

    /// Kills each process of this user that has the mark.
    ///
    /// - Returns: Number of processes killed.
    package func endLeftovers() -> Int {
        var ended: Set<Int32> = []
        for _ in 0..<Self.rounds {
            let found = Self.processes.filter { $0 != getpid() && end($0) }
            if ended.isSuperset(of: found) { break }
            ended.formUnion(found)
        }
        return ended.count
    }

    /// Kills the process if it has the mark.
    private func end(_ process: Int32) -> Bool {
        guard isMarked(process) else { return false }
        let watch = ccapture_watch(process)
        guard watch >= 0 else { return false }
        defer { close(watch) }
        // Checked again: another process may have got the ID before `watch` was opened.
        return isMarked(process) && ccapture_kill(watch) == 0
    }

    private func isMarked(_ process: Int32) -> Bool {
        let path = "/proc/\(process)/environ"
        guard let bytes = Files.start(of: path, limit: Self.environmentMax) else { return false }
        return bytes.split(separator: 0).contains { $0.elementsEqual(text.utf8) }
    }

    private static var processes: [Int32] {
        ((try? Files.names(in: "/proc")) ?? []).compactMap { Int32($0) }
    }
}

import ControlProtocol
import FileIO
import Glibc
import HardwareIO
import Provisioning

/// Does as root what the page asked for: writes which sensors have a wire of their own, and says
/// which ones the board has.
package struct WireRun {
    private let root: String
    private let boot: BootPartition

    /// - Parameters:
    ///   - root: Path of the system's root; empty for this machine.
    package init(boot: BootPartition, root: String) { (self.boot, self.root) = (boot, root) }

    /// Those that the boot partition names.
    package var named: BoardOverlays { BoardOverlays(text: boot.text(BoardOverlays.fileName)) }

    /// Whether the boot script of the card reads them, and the overlays are there.
    private var isAble: Bool {
        boot.text("boot.scr")?.contains(BoardOverlays.fileName) == true
            && access("\(boot.folder)/overlays", F_OK) == 0
    }

    /// What the board started without.
    var problems: [ProvisionProblem] { [named.problem(hasNode)].compactMap(\.self) }

    /// Whether the running device tree has a node of this name.
    package func hasNode(_ name: String) -> Bool {
        access("\(root)/sys/firmware/devicetree/base/\(name)", F_OK) == 0
    }

    /// Reads a request, which is gone from then on, and does it.
    ///
    /// - Returns: One line for the journal, and whether the machine is to restart now.
    /// - Throws: Where the request cannot be read, or the answer not written.
    package func run(_ path: String) throws -> (line: String, restarts: Bool) {
        defer { unlink(path) }
        let request: WireRequest
        let limit = WireRequest.byteCountMax
        guard let bytes = try Files.readSecret(path, limit: limit) else {
            return ("nothing was asked for", false)
        }
        do {
            let text = String(decoding: bytes, as: UTF8.self)
            request = try ControlCodec.message(WireRequest.self, from: text)
            let overlays = try request.checked()
            if overlays != named { try boot.write(sector: overlays.sector, BoardOverlays.fileName) }
        } catch {
            let words = (error as? BoardOverlays.Refusal)?.words ?? "\(error)"
            try show(problem: words)
            return ("not kept: \(words)", false)
        }
        try show()
        let names = named.names
        let shown = names.isEmpty ? "none" : names.joined(separator: ", ")
        return ("from the next start on: \(shown)", request.restarts == true)
    }

    /// Says to the page what the board has.
    package func show(problem: String? = nil) throws {
        // What an earlier file named is in the device tree until the next start.
        let used = BoardOverlays.all.used(hasNode)
        let state = WireState(used: used, next: named.names, isAble: isAble, problem: problem)
        let line = try ControlCodec.line(state)
        try Files.replace("\(root)/\(WireState.path)", with: Array((line + "\n").utf8), mode: 0o644)
    }
}

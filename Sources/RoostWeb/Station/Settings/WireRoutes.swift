import ControlProtocol
import FileIO
import Glibc
import HTTPTypes
import Provisioning
import Synchronization

/// Routes for sensors with a wire of their own (DHT22, DS18B20), for the owner of a station from an
/// image: a root service writes them, and the board has them from its next start on.
package struct WireRoutes: Sendable {
    private static let asking = Mutex(())

    /// Root folder of the system; empty for this machine.
    private let root: String

    package init(root: String = "") { self.root = root }

    private var wanted: String { "\(root)/run/roost-web/\(WireRequest.fileName)" }

    package var acts: [Route] {
        [
            Route(.put, "/api/v1/wires", .owner) { request in
                try ask(try request.decoded(WireRequest.self))
                return try .json(try view)
            }
            .about(
                "Says which sensors have a wire of their own from the next start on.",
                takes: WireRequest.self,
                answers: WireView.self
            )
        ]
    }

    package var others: [Route] {
        [
            Route(.get, "/api/v1/wires", .owner) { _ in try .json(try view) }
                .about("Sensors with a wire of their own.", answers: WireView.self)
        ]
    }

    /// Whether this station runs from an image, where the page may set them.
    private var isImage: Bool { access("\(root)/usr/lib/roost/image.json", F_OK) == 0 }

    private var view: WireView {
        get throws(Problem) {
            let path = "\(root)/\(WireState.path)"
            do throws(FileError) {
                let limit = WireRequest.byteCountMax
                let bytes = try Files.readIfThere(path, limit: limit)
                let state = bytes.map { String(decoding: $0, as: UTF8.self) }.flatMap {
                    try? ControlCodec.message(WireState.self, from: $0)
                }
                return WireView(
                    isImage: isImage,
                    isBusy: access(wanted, F_OK) == 0,
                    overlays: BoardOverlays.all.names,
                    state: state
                )
            } catch { throw Problem(.store, "\(error.path) cannot be read: \(error.text)") }
        }
    }

    /// Asks the service, which checks it again.
    ///
    /// - Throws: `Problem`: `conflict` while it works, `out-of-range` with the field.
    private func ask(_ request: WireRequest) throws(Problem) {
        guard isImage else {
            throw Problem(.notOffered, "this station's system sets them in its config.txt")
        }
        do throws(BoardOverlays.Refusal) { _ = try request.checked() } catch {
            throw .outOfRange("overlays", error.words)
        }
        try Self.asking.withLock { _ throws(Problem) in
            guard access(wanted, F_OK) != 0 else {
                throw Problem(.conflict, "the station still writes the last choice")
            }
            do {
                let line = try ControlCodec.line(request)
                try Files.replace(wanted, with: Array(line.utf8), mode: 0o600)
            } catch { throw Problem(.store, "the station cannot be asked: \(error)") }
        }
    }
}

/// The answer of `GET /api/v1/wires`.
struct WireView: Codable, Hashable {
    /// Whether the page may set them.
    let isImage: Bool
    /// Whether the last choice is still being written.
    let isBusy: Bool
    /// All that can be chosen, such as `w1-gpio-4`.
    let overlays: [String]
    /// What the service said last; nil before that.
    let state: WireState?
}

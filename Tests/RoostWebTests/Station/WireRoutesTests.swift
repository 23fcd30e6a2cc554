import ControlProtocol
import FileIO
import Glibc
import HTTPTypes
import Provisioning
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct WireRoutesTests {
    private let folder: TestFolder
    private let path = "/api/v1/wires"
    private var wanted: String { folder.path("run/roost-web/wires-wanted") }

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in ["usr", "usr/lib", "usr/lib/roost", "run", "run/roost-web"] {
            mkdir(folder.path(name), 0o755)
        }
    }

    private func makeImage() throws {
        let path = folder.path("usr/lib/roost/image.json")
        try Files.replace(path, with: Array("{}".utf8), mode: 0o600)
    }

    private func stage(_ right: Right = .owner) -> RouteStage {
        let wires = WireRoutes(root: folder.path)
        return RouteStage(wires.acts + wires.others, as: right)
    }

    @Test func leavesThemToConfigTxtWithoutAnImage() async throws {
        let stage = stage()
        #expect(try await RouteStage.text(stage.ask(path)).contains(#""isImage":false"#))
        let answer = await stage.ask(path, .put, body: #"{"overlays":["w1-gpio-4"]}"#)
        #expect(answer.status == .notFound && access(wanted, F_OK) != 0)
    }

    @Test(arguments: [Right.viewer, .member])
    func isTheOwnersAlone(_ right: Right) async throws {
        try makeImage()
        #expect(await stage(right).ask(path).status == .forbidden)
        #expect(await stage(right).ask(path, .put).status == .forbidden)
    }

    @Test func asksTheServiceOnceAtATime() async throws {
        try makeImage()
        let stage = stage()
        let wrong = await stage.ask(path, .put, body: #"{"overlays":["dht11-99"]}"#)
        #expect(try await RouteStage.text(wrong).contains("/overlays"))
        #expect(access(wanted, F_OK) != 0)
        let body = #"{"overlays":["dht11-17"],"restarts":true}"#
        let right = await stage.ask(path, .put, body: body)
        #expect(try await RouteStage.text(right).contains(#""isBusy":true"#))
        #expect(Files.text(wanted) == body)
        #expect(await stage.ask(path, .put, body: body).status == .conflict)
        let state = WireState(used: [], next: ["dht11-17"])
        let line = Array(try ControlCodec.line(state).utf8)
        try Files.replace(folder.path(WireState.path), with: line, mode: 0o644)
        unlink(wanted)
        let shown = try await RouteStage.text(stage.ask(path))
        #expect(shown.contains(#""next":["dht11-17"]"#) && shown.contains(#""isBusy":false"#))
    }
}

import FileIO
import HTTPTypes
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct QRCodeRouteTests {
    @Test func aScriptThatIsNotInstalledIsSaidSo() async throws {
        let folder = try TestFolder()
        let none = await RouteStage([QRCodeRoute(folder: folder.path).route]).ask("/qrcode.js")
        #expect(none.status == .notFound)
        let why = try await RouteStage.text(none)
        #expect(why.contains("node-qrcode-generator"))
        let script = folder.path("qrcode.js")
        try Files.replace(script, with: Array("var qrcode = 1;".utf8), mode: 0o600)
        let route = QRCodeRoute(folder: folder.path).route
        let found = await RouteStage([route]).ask("/qrcode.js")
        #expect(found.status == .ok)
        #expect(found.headers[.contentType] == "text/javascript; charset=utf-8")
        #expect(try await RouteStage.text(found) == "var qrcode = 1;")
    }
}

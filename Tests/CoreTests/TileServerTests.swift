import Core
import Testing

@Suite struct TileServerTests {
    @Test func anAddressOfTilesNamesItsServer() throws {
        let open = try TileServer("https://tile.openstreetmap.org/{z}/{x}/{y}.png")
        #expect(open.origin == "https://tile.openstreetmap.org")
        #expect(open.credit?.words == "© OpenStreetMap contributors")
        let own = try TileServer("http://192.168.1.5:8080/tiles/{z}/{x}/{y}.png?style=a&key=b")
        #expect(own.origin == "http://192.168.1.5:8080" && own.host == "192.168.1.5:8080")
        #expect(own.credit == nil)
        #expect(try TileServer("https://notopenstreetmap.org/{z}/{x}/{y}").credit == nil)
    }

    /// Refuses templates that are unsafe in a content policy or in a page.
    @Test(arguments: [
        "", "tile.example.org/{z}/{x}/{y}.png", "javascript:alert({z}{x}{y})",
        "https:///{z}/{x}/{y}.png", "https://a.org/{z}/{x}.png", "https://a.org/{z}/{x}/{y}/{y}",
        "https://{s}.a.org/{z}/{x}/{y}.png", "https://a.org/{s}/{z}/{x}/{y}.png",
        "https://a.org; script-src */{z}/{x}/{y}", "https://a.org/{z}/{x}/{y}\"><script>",
        "https://a.org/{z}/{x}/{y}.png,https://b.org", "https://user@a.org/{z}/{x}/{y}.png",
        "https://a.org'/{z}/{x}/{y}.png", "https://*.a.org/{z}/{x}/{y}.png",
    ])
    func anotherAddressIsRefused(_ template: String) {
        #expect(throws: TileServerError.self) { try TileServer(template) }
    }
}

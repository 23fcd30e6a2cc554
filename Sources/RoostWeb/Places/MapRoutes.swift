import HTTPTypes

/// The page with a map, and what its server needs of Debian's packages.
///
/// Off unless the owner named a server of tiles: that server sees which places a browser looks at.
/// The page is apart from the others, since its content policy allows that server's pictures.
package struct MapRoutes: Sendable {
    /// Where Debian's packages put their files.
    package static let standardFolder = "/usr/share/javascript/leaflet"
    private static let packages = "libjs-leaflet libjs-leaflet.markercluster"
    private static let needed = [
        "leaflet.css", "leaflet.min.js", "MarkerCluster.css", "leaflet.markercluster.min.js",
    ]

    private let tiles: TileServer?
    private let folder: String
    /// By name; nil where one is missing.
    private let files: [String: StaticFiles.File]?
    private let page: WebResponse

    /// Reads the files of the packages, where there are to be tiles.
    ///
    /// - Parameters:
    ///   - tiles: Nil for none.
    package init(_ tiles: TileServer?, leaflet folder: String, _ client: StaticFiles) {
        (self.tiles, self.folder) = (tiles, folder)
        files = tiles == nil ? nil : StaticFiles.files(Self.needed, in: folder)
        var page = client.page("map.html", type: "text/html; charset=utf-8")
        if let tiles { Self.allow(tiles, in: &page) }
        self.page = page
    }

    package var all: [Route] {
        let about = Route(.get, "/api/v1/map", .viewer, scope: .read) { request in
            try request.query.allow(only: [])
            return .json(json)
        }
        guard let files else { return [about] }
        return [
            about, Route(.get, "/map", .anyone) { _ in page },
            Route(.get, "/map/{file}", .anyone) { request in
                guard let file = files[request.parameters["file"] ?? ""] else {
                    throw Problem.notFound("the map has no such file")
                }
                return WebResponse(
                    headers: [.contentType: file.type, .cacheControl: "max-age=86400"],
                    body: .bytes(file.bytes)
                )
            },
        ]
    }

    private var json: String {
        var json = JSONText()
        json.object { json in
            json.member("host", tiles?.host)
            json.member("tiles", files == nil ? nil : tiles?.template)
            json.member("credit", tiles?.credit?.words)
            json.member("creditURL", tiles?.credit?.url)
            if tiles != nil, files == nil {
                json.member("why", "\(folder): install the packages \(Self.packages)")
            }
        }
        return json.text
    }

    /// The policy of this page alone: the server's pictures, and Leaflet's own way to make texts,
    /// which a policy of the page's script takes every tag from.
    private static func allow(_ tiles: TileServer, in page: inout WebResponse) {
        let policy = WebResponder.policy
            .replacing("img-src 'self'", with: "img-src 'self' data: \(tiles.origin)")
            .replacing("trusted-types roost", with: "trusted-types default")
        if let name = HTTPField.Name("content-security-policy") { page.headers[name] = policy }
        // Servers of tiles ask who shows them; they get the station's address, and not the page's.
        if let name = HTTPField.Name("referrer-policy") { page.headers[name] = "strict-origin" }
    }
}

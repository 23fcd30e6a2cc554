import HTTPTypes

/// The page with a map, and the files of Debian's packages that it needs.
///
/// Off unless the owner named a server of tiles: that server sees which places a browser looks at.
/// The page is apart from the others, since its content policy allows that server's pictures.
package struct MapRoutes: Sendable {
    /// Folder of Leaflet in Debian's package.
    package static let standardFolder = "/usr/share/javascript/leaflet"
    private static let packages = "libjs-leaflet libjs-leaflet.markercluster"
    private static let needed = [
        "leaflet.css", "leaflet.min.js", "MarkerCluster.css", "leaflet.markercluster.min.js",
    ]

    private let tiles: TileServer?
    private let folder: String
    /// Files by name; nil where one is missing.
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
            try .json(view)
        }
        .about("Whose map pictures the page Map shows; null for none.", answers: MapView.self)
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

    private var view: MapView {
        MapView(
            host: tiles?.host,
            tiles: files == nil ? nil : tiles?.template,
            credit: tiles?.credit?.words,
            creditURL: tiles?.credit?.url,
            why: tiles != nil && files == nil
                ? "\(folder): install the packages \(Self.packages)" : nil
        )
    }

    /// Sets this page's own content policy: it allows tiles, and Leaflet's way to make texts.
    ///
    /// A Trusted Types policy in the page's script removes every tag from those texts.
    private static func allow(_ tiles: TileServer, in page: inout WebResponse) {
        let policy = WebResponder.policy
            .replacing("img-src 'self'", with: "img-src 'self' data: \(tiles.origin)")
            .replacing("trusted-types roost", with: "trusted-types default")
        if let name = HTTPField.Name("content-security-policy") { page.headers[name] = policy }
        // Tile servers require a referrer; they get the station's origin, and not the page's path.
        if let name = HTTPField.Name("referrer-policy") { page.headers[name] = "strict-origin" }
    }
}

/// `/map`: whose map pictures the page Map shows.
struct MapView: Codable, Sendable {
    @OrNull var host: String?
    @OrNull var tiles: String?
    @OrNull var credit: String?
    @OrNull var creditURL: String?
    /// Why there are none though a server is named.
    let why: String?
}

import ControlProtocol
import Core
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

    /// The server that an option of the program names; it wins over the station's setting.
    private let option: TileServer?
    private let folder: String
    private let page: WebResponse
    private let questions: StationQuestions

    /// - Parameters:
    ///   - option: Nil where the station's setting counts.
    ///   - folder: Of the packages' files.
    ///   - station: Has the setting; nil for a card without one.
    package init(
        _ option: TileServer?,
        leaflet folder: String,
        _ client: StaticFiles,
        station: StationClient?
    ) {
        (self.option, self.folder) = (option, folder)
        page = client.page("map.html", type: "text/html; charset=utf-8")
        questions = StationQuestions(station: station)
    }

    package var all: [Route] {
        [
            Route(.get, "/api/v1/map", .viewer, scope: .read) { _ in
                try .json(view(await tiles))
            }
            .about("Whose map pictures the page Map shows; null for none.", answers: MapView.self),
            Route(.get, "/map", .anyone) { _ in
                guard let tiles = await tiles, files(Self.needed) != nil else { throw Self.none }
                var page = page
                Self.allow(tiles, in: &page)
                return page
            },
            Route(.get, "/map/{file}", .anyone) { request in
                let name = request.parameters["file"] ?? ""
                guard Self.needed.contains(name), await tiles != nil,
                    let file = files([name])?[name]
                else { throw Self.none }
                return WebResponse(
                    headers: [.contentType: file.type, .cacheControl: "max-age=86400"],
                    body: .bytes(file.bytes)
                )
            },
        ]
    }

    private static let none = Problem.notFound("no page and no endpoint is here")

    /// The server in use; nil for none, and while the station does not say it.
    private var tiles: TileServer? {
        get async {
            if let option { return option }
            do {
                let settings = try await questions.ask(GetSettings()).settings
                return try settings.first { $0.key == "tiles" }?.value.map { try TileServer($0) }
            } catch {
                // The page says that there is none; whether the station answers is on every page.
                return nil
            }
        }
    }

    /// Files of the packages; nil where one is missing.
    private func files(_ names: [String]) -> [String: StaticFiles.File]? {
        StaticFiles.files(names, in: folder)
    }

    private func view(_ tiles: TileServer?) -> MapView {
        let isWhole = tiles != nil && files(Self.needed) != nil
        return MapView(
            host: tiles?.host,
            tiles: isWhole ? tiles?.template : nil,
            credit: tiles?.credit?.words,
            creditURL: tiles?.credit?.url,
            why: tiles != nil && !isWhole
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

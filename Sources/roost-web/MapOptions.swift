import ArgumentParser
import RoostWeb

/// Options of the map: whether there is one, and the server of its pictures.
struct MapOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A server of map tiles; without it no picture of another server is shown.",
            discussion: "As https://tile.openstreetmap.org/{z}/{x}/{y}.png."
        )
    )
    var tiles: String?

    @Option(help: "The folder of Debian's libjs-leaflet and libjs-leaflet.markercluster.")
    var leaflet = MapRoutes.standardFolder

    func validate() throws { _ = try server }

    private var server: TileServer? {
        get throws {
            do { return try tiles.map { try TileServer($0) } } catch let error as TileServerError {
                throw ValidationError("--tiles \(error)")
            }
        }
    }

    func routes(_ files: StaticFiles) throws -> [Route] {
        MapRoutes(try server, leaflet: leaflet, files).all
    }
}

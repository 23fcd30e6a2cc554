import ArgumentParser
import Core
import RoostWeb

/// Options of the map: whether there is one, and the server of its pictures.
struct MapOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A server of map tiles, in place of the station's setting `tiles`.",
            discussion: "As https://tile.openstreetmap.org/{z}/{x}/{y}.png."
        )
    )
    var tiles: String?

    @Option(help: "The folder of Debian's libjs-leaflet and libjs-leaflet.markercluster.")
    var leaflet = MapRoutes.standardFolder

    func validate() throws { _ = try server }

    var server: TileServer? {
        get throws {
            do { return try tiles.map { try TileServer($0) } } catch let error as TileServerError {
                throw ValidationError("--tiles \(error)")
            }
        }
    }

    func routes(_ files: StaticFiles, _ station: StationClient?) throws -> [Route] {
        MapRoutes(try server, leaflet: leaflet, files, station: station).all
    }
}

/// The faces that are switched on.
package struct Faces: Sendable {
    private let settings: FaceSettings
    private let all: [Face]
    private let period: PeriodFace

    package init(_ settings: FaceSettings, _ sources: FaceSources) {
        self.settings = settings
        let cache = PeriodFileCache(sources)
        let period = PeriodFace(sources, cache)
        self.period = period
        all = settings.entries.sorted { $0.key.rawValue < $1.key.rawValue }.map { name, _ in
            switch name {
            case .alert: AlertFace(sources, cache).face
            case .files: period.face
            case .semicolon: SemicolonFace(sources).face
            case .history: FortnightFace(sources).face
            case .push: PushFace(courier: sources.courier).face
            case .airrohr: AirrohrFace(sources).face
            }
        }
    }

    /// Routes of the faces among the dashboard's own.
    package var routes: [Route] { all.flatMap(\.routes) }

    /// Routes of period files for the dashboard's own pages, whatever is switched on.
    package var pageRoutes: [Route] { period.pageRoutes }

    /// Ports of faces, and what is at each root.
    package var ports: [(face: FaceName, port: Int, routes: [Route])] {
        all.compactMap { face in
            settings.entries[face.name]?.port.map { (face.name, $0, face.rootRoutes) }
        }
    }
}

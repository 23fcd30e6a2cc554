import Synchronization

/// What the station last said of its name, zone and devices' titles.
///
/// While its program does not answer, dates and names of the pages stay as they were.
final class KnownStation: Sendable {
    private let last = Mutex<(station: StationView.Station, titles: [String: String]?)?>(nil)

    func remember(_ view: StationView) {
        last.withLock { $0 = (view.station, view.titles) }
    }

    /// A view without an answer, with the names and the zone of the last answer.
    func absent(_ view: StationView) -> StationView {
        guard let (station, titles) = last.withLock({ $0 }) else { return view }
        var absent = view
        absent.titles = titles
        absent.station = StationView.Station(
            name: station.name,
            version: view.station.version,
            zone: station.zone,
            isSimulated: view.station.isSimulated
        )
        return absent
    }
}

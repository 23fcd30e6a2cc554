import Core
import Profiles

extension LocationTrack.Answer {
    var report: PlaceReport { PlaceReport(self) }
}

/// Where a reading was measured, as it is printed.
struct PlaceReport: Codable, Hashable {
    /// Latitude in degrees, exact; nil without a fix near in time.
    let latitude: String?
    let longitude: String?
    /// Whether it lies between two fixes or near one, rather than at one.
    let isEstimated: Bool

    init(_ answer: LocationTrack.Answer) {
        switch answer {
        case .at(let position, let quality):
            let place = position.readings
            (latitude, longitude) = ("\(place.latitude)", "\(place.longitude)")
            isEstimated = quality.contains(.estimated)
        case .noData: (latitude, longitude, isEstimated) = (nil, nil, false)
        }
    }

    var text: String {
        guard let latitude, let longitude else { return "place unknown" }
        return "at \(latitude)° \(longitude)°" + (isEstimated ? " (estimated)" : "")
    }
}

import Core
import Profiles

extension LocationTrack.Answer {
    package var report: PlaceReport { PlaceReport(self) }
}

/// Where a reading was measured.
package struct PlaceReport: Codable, Hashable, Sendable {
    /// Latitude in degrees, exact; nil without a fix near in time.
    package let latitude: String?
    package let longitude: String?
    /// Whether it lies between two fixes or near one, rather than at one.
    package let isEstimated: Bool

    init(_ answer: LocationTrack.Answer) {
        switch answer {
        case .at(let position, let quality):
            let place = position.readings
            (latitude, longitude) = ("\(place.latitude)", "\(place.longitude)")
            isEstimated = quality.contains(.estimated)
        case .noData: (latitude, longitude, isEstimated) = (nil, nil, false)
        }
    }

    package var text: String {
        guard let latitude, let longitude else { return "place unknown" }
        return "at \(latitude)° \(longitude)°" + (isEstimated ? " (estimated)" : "")
    }
}

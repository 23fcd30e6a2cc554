import ControlProtocol
import Testing

@testable import StoreQueries

@Suite struct SiteNamesTests {
    private static func feeds() -> [OutboxReport] {
        var singapore = OutboxReport(id: "sg", type: "data.gov.sg", state: .idle)
        singapore.places = [
            FeedLocation(series: "west", name: "west", latitude: 1.36, longitude: 103.7)
        ]
        .compactMap(\.self)
        var lombardy = OutboxReport(id: "mi", type: "arpa-lombardia", state: .idle)
        lombardy.places = [
            FeedLocation(series: "10273", name: "Milano Pascal", latitude: 45.4, longitude: 9.2)
        ]
        .compactMap(\.self)
        return [singapore, lombardy, OutboxReport(id: "school", type: "peer", state: .idle)]
    }

    private struct Expected {
        let name: String
        let kind: SiteKind
        let site: String
        let revision: Int
        let isPlaced: Bool
    }

    private static let expected = [
        Expected(
            name: "data.gov.sg:west",
            kind: .region,
            site: "west",
            revision: 0,
            isPlaced: true
        ),
        Expected(
            name: "data.gov.sg:west late",
            kind: .region,
            site: "west",
            revision: 1,
            isPlaced: true
        ),
        Expected(
            name: "data.gov.sg:west late 3",
            kind: .region,
            site: "west",
            revision: 3,
            isPlaced: true
        ),
        Expected(
            name: "data.gov.sg:national",
            kind: .region,
            site: "national",
            revision: 0,
            isPlaced: false
        ),
        Expected(
            name: "arpa-lombardia:10273",
            kind: .reference,
            site: "Milano Pascal",
            revision: 0,
            isPlaced: true
        ),
        Expected(
            name: "arpa-lombardia:5551",
            kind: .reference,
            site: "5551",
            revision: 0,
            isPlaced: false
        ),
        Expected(name: "school:dust", kind: .peer, site: "school", revision: 0, isPlaced: false),
        Expected(name: "old-log", kind: .other, site: "old-log", revision: 0, isPlaced: false),
        Expected(name: "a:late", kind: .other, site: "late", revision: 0, isPlaced: false),
    ]

    @Test func namesOfStreamsSayWhoseTheyAre() {
        let names = SiteNames(Self.feeds())
        for one in Self.expected {
            let stream = names.stream(one.name)
            #expect(names.kind(of: stream.source) == one.kind, "\(one.name)")
            #expect(stream.site == one.site && stream.revision == one.revision, "\(one.name)")
            #expect((stream.place != nil) == one.isPlaced, "\(one.name)")
        }
    }
}

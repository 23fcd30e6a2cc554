import ControlProtocol
import Testing

@testable import RoostWeb

@Suite struct NowOrderTests {
    private static func view(_ ids: [String], _ first: [String]?, _ hidden: [String]?)
        -> StationView
    {
        var status = OpenMetricsTests.status
        status.channels = ids.map { id in
            ChannelReport(channel: id, unit: "", latest: nil, valueAgeSeconds: nil, isStale: false)
        }
        (status.nowFirst, status.nowHidden) = (first, hidden)
        return StationView(
            status,
            DevicesReport(devices: [], unclaimed: []),
            at: StationView.Place(name: "t", zone: "UTC", isSimulated: false)
        )
    }

    private static let ids = [
        "b/n03", "b/pm25", "a/temperature", "a/co2", "b/pm10", "a/pm25", "a/own",
    ]

    @Test func theUsualOrderIsThatOfWhatPeopleAskFor() {
        let view = Self.view(Self.ids, nil, nil)
        #expect(
            view.channels.map(\.id) == [
                "b/pm25", "a/pm25", "b/pm10", "a/co2", "a/temperature", "a/own", "b/n03",
            ]
        )
        #expect(view.channels.allSatisfy { $0.place == nil })
    }

    /// Those of a device that is not there any more are kept for it, and shown nowhere.
    @Test func theOwnersOrderCounts() {
        let view = Self.view(Self.ids, ["b/n03", "gone/co2", "a/co2"], ["a/pm25", "gone/pm25"])
        #expect(
            view.channels.map(\.id) == [
                "b/n03", "a/co2", "b/pm25", "b/pm10", "a/temperature", "a/own", "a/pm25",
            ]
        )
        #expect(view.channels.map(\.place) == [.first, .first, nil, nil, nil, nil, .hidden])
    }

    /// A file can say both.
    @Test func whatIsFirstIsNotHidden() {
        let order = NowOrder(first: ["a/co2"], hidden: ["a/co2", "a/pm25"])
        #expect(order.place(of: "a/co2") == .first && order.place(of: "a/pm25") == .hidden)
    }

    @Test func fortyChannelsAreAllThere() {
        let ids = (0..<40).map { "d\($0)/pm25" }
        let view = Self.view(ids, Array(ids.reversed()), ids)
        #expect(view.channels.map(\.id) == ids.reversed())
        let hidden = Self.view(ids, nil, ids)
        #expect(hidden.channels.map(\.id) == ids)
        #expect(hidden.channels.allSatisfy { $0.place == .hidden })
    }
}

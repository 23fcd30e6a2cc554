import Configuration
import Testing

@Suite struct ChannelListTests {
    @Test func keepsItsOrder() {
        let list = ChannelList("hall/co2,dust/pm25_dry@1,  a.b-c/n03")
        #expect(list?.ids == ["hall/co2", "dust/pm25_dry@1", "a.b-c/n03"])
        #expect(list?.text == "hall/co2, dust/pm25_dry@1, a.b-c/n03")
        #expect(list.flatMap { ChannelList($0.text) } == list)
    }

    @Test(arguments: [
        "", " ", ",", "dust", "dust/", "/pm25", "dust/pm25,", "dust/pm25, dust/pm25", "a/b/c",
        "dust/pm25 x", "../pm25", "dust/<b>", "dust/pm\u{7}", "dust/a@b@c", "d ust/pm25",
    ])
    func refusesWhatIsNoList(_ text: String) { #expect(ChannelList(text) == nil) }

    /// The longest list of names as long as they may be is within both bounds or refused.
    @Test func hasBounds() {
        func text(_ count: Int) -> String {
            (0..<count).map { "d\($0)/pm25" }.joined(separator: ", ")
        }
        #expect(ChannelList(text(ChannelList.countMax))?.ids.count == ChannelList.countMax)
        #expect(ChannelList(text(ChannelList.countMax + 1)) == nil)
        let name = String(repeating: "a", count: 64)
        #expect(ChannelList("\(name)/\(name)") != nil)
        #expect(ChannelList("\(name)a/\(name)") == nil)
        let long = (10..<90).map { "\(name.dropLast(2))\($0)/\(name)" }.joined(separator: ", ")
        #expect(ChannelList(long) == nil)
    }
}

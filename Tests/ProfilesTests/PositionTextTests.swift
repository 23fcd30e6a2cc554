import Testing

@testable import Profiles

@Suite struct PositionTextTests {
    @Test(arguments: [
        ("46.1699, 9.8786", "46.1699, 9.8786"), ("-33.86,151.2", "-33.86, 151.2"),
        ("0,0", "0, 0"), (" 1.3521000 , -0.0000001 ", "1.3521, -0.0000001"),
        ("+90, -180", "90, -180"), ("45, 180", "45, -180"),
    ])
    func readsWhatPeopleWrite(text: String, shown: String) throws {
        let position = try #require(Position(text: text))
        #expect(position.text == shown)
        #expect(Position(text: position.text) == position)
    }

    @Test(arguments: [
        "", "46.1", "46,17; 9,87", "46,17, 9,87", "91, 0", "0, 181", "46.12345678, 9", "N46, E9",
        "1e2, 0", "46., 9", ".5, 9", "--1, 2", "٤٦, 9", "1000, 0", "1, 2, 3", "nan, 0",
        "46.1699, 9.8786                                    ",
    ])
    func refusesWhatIsNoPlace(text: String) { #expect(Position(text: text) == nil) }
}

import FoundationEssentials

@testable import Profiles

/// Files and folders of this repository, as the tests read them.
enum Repository {
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(root)/\(path)")))
    }

    static func names(_ folder: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")
            .filter { $0.hasSuffix(suffix) }.sorted()
    }
}

/// A profile in which all parts are, and ways to spoil it.
enum ProfileSample {
    static let text = """
        {
          "schemaVersion": 2, "id": "my-meter", "kind": "usb-serial",
          "name": "My meter", "description": "A meter.", "sources": ["Its maker"],
          "match": [{"vendorID": "1a86", "productID": "7523", "serial": "A*", "interface": "00"}],
          "probe": {"bauds": [9600, 19200], "streams": true, "mayAsk": false, "listenSeconds": 5},
          "driver": "line", "settings": {"delimiter": ";", "fields": ["pm25", null]},
          "duty": {
            "periodSeconds": 300, "warmUpSeconds": 25, "windowSeconds": 5, "liveIntervalSeconds": 1
          },
          "rule": {"group": "dialout"},
          "channels": [
            {"name": "pm25", "unit": "µg/m³", "decimals": 1, "range": [0, 999.9],
             "description": "Dust."},
            {
              "name": "pm10", "unit": "µg/m³", "decimals": 1, "range": [0, 1999.9],
              "description": "More dust.", "shown": "steps"
            }
          ],
          "graph": {"version": 1, "nodes": []}
        }
        """

    /// The same in version 1, which says `words` for `description`.
    static let oldText = text.replacing(#""schemaVersion": 2"#, with: #""schemaVersion": 1"#)
        .replacing(#""description":"#, with: #""words":"#)

    static let file = "my-meter.json"

    /// The problems of the sample with a piece of it replaced, one a line.
    static func problems(
        replacing piece: String,
        with other: String,
        reader: ProfileReader = ProfileReader()
    ) -> [String] {
        problems(text.replacing(piece, with: other), reader: reader)
    }

    static func problems(_ text: String, reader: ProfileReader = ProfileReader()) -> [String] {
        do throws(ConfigurationError) {
            _ = try reader.read(Array(text.utf8), file: file)
            return []
        } catch { return error.problems.map(\.description) }
    }
}

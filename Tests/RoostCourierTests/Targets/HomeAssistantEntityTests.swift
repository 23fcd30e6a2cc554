import Core
import FoundationEssentials
import Profiles
import Testing

@testable import RoostCourier

@Suite struct HomeAssistantEntityTests {
    /// Quantities of all shipped profiles, measured and computed.
    private static var shipped: Set<Quantity> {
        let profiles = ProfileCatalog().profiles
        return Set(
            profiles.flatMap { profile -> [Quantity] in
                let raw = profile.channels.map(\.quantity)
                return raw + profile.graph(of: raw).derived
            }
        )
    }

    @Test func everyQuantityOfAProfileHasAClassOrAReasonForNone() {
        #expect(Self.shipped.count > 40)
        for quantity in Self.shipped {
            let (title, meaning) = HomeAssistantEntity.meaning(of: quantity.name)
            let entity = HomeAssistantEntity(quantity)
            #expect(!title.contains("@") && !title.contains("_"), "\(quantity.name)")
            switch meaning {
            case .quantity(let known):
                // A class that the unit does not fit would be left out.
                #expect(entity.deviceClass == known, "\(quantity.name) in \(quantity.unit)")
            case .lacking(let reason): #expect(!reason.isEmpty && entity.deviceClass == nil)
            case nil: Issue.record("\(quantity.name) has neither a class nor a reason for none")
            }
        }
    }

    /// A catalogue of the pages by its language.
    private static func catalogue(_ language: String) throws -> [String: String] {
        let parts = #filePath.split(separator: "/").dropLast(4)
        let folder = "/\(parts.joined(separator: "/"))/Sources/RoostWeb/www/strings"
        let text = try Data(contentsOf: URL(filePath: "\(folder)/\(language).json"))
        return try JSONDecoder().decode([String: String].self, from: text)
    }

    @Test func titlesAreTheWordsOfThePages() throws {
        let page = try Self.catalogue("en")
        for quantity in Self.shipped {
            let name = quantity.name.prefix { $0 != "@" }
            let title = HomeAssistantEntity(quantity).title
            #expect(page["quantity.\(name)"] == title, "\(quantity.name)")
        }
        #expect(HomeAssistantEntity.meaning(of: "dose_rate@1").title == "Dose rate")
    }

    @Test(arguments: ["de", "es", "fr", "it"])
    func eachLanguageNamesEachQuantity(_ language: String) throws {
        let page = try Self.catalogue(language)
        for quantity in Self.shipped {
            let name = quantity.name.prefix { $0 != "@" }
            #expect(page["quantity.\(name)"] != nil, "\(quantity.name)")
        }
    }

    @Test(arguments: [
        ("pm25", "µg/m³", "pm25"), ("pm25_dry@1", "µg/m³", "pm25"), ("pm25", "mg/m³", nil),
        ("temperature", "°C", "temperature"), ("humidity", "%", "humidity"),
        ("pressure", "hPa", "atmospheric_pressure"), ("pressure", "m", nil),
        ("illuminance", "lx", "illuminance"), ("voltage0", "mV", "voltage"),
        ("co2_corrected@1", "ppm", "carbon_dioxide"), ("wind", "m/s", nil),
    ])
    func aClassNeedsItsUnit(name: String, unit: String, wanted: String?) {
        let entity = HomeAssistantEntity(Quantity(name: name, unit: unit, decimals: 1))
        #expect(entity.deviceClass == wanted)
    }
}

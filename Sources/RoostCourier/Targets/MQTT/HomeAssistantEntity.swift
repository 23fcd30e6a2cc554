import Core

/// Description of a quantity for Home Assistant.
///
/// - Source: Home Assistant 2025.4.4, `components/sensor/const.py`: classes, and the units of each.
struct HomeAssistantEntity: Hashable, Sendable {
    let title: String
    /// Device class of Home Assistant; nil where it has none for the quantity, or not in this unit.
    let deviceClass: String?
    let unit: String

    init(_ quantity: Quantity) {
        // Version 2025.7 refuses U+03BC; all versions accept U+00B5.
        unit = String(quantity.unit.map { $0 == "\u{3BC}" ? "\u{B5}" : $0 })
        let (name, meaning) = Self.meaning(of: quantity.name)
        title = name
        guard case .quantity(let known)? = meaning else {
            deviceClass = nil
            return
        }
        // An unknown unit loses the entity's class and writes errors into Home Assistant's log.
        deviceClass = Self.units[known]?.contains(unit) == true ? known : nil
    }

    /// A class of Home Assistant, or why there is none.
    enum Meaning: Hashable, Sendable {
        case quantity(String)
        case lacking(because: String)
    }

    /// Title and class of a quantity; a computed one has those of its name without the version.
    static func meaning(of quantity: String) -> (title: String, Meaning?) {
        let name = String(quantity.prefix { $0 != "@" })
        guard let (title, meaning) = table[name] else { return (name, nil) }
        return (title, meaning)
    }

    /// Units that Home Assistant accepts for a class, of those that a channel can have.
    private static let units: [String: Set<String>] = [
        "pm1": ["µg/m³"], "pm25": ["µg/m³"], "pm10": ["µg/m³"], "carbon_dioxide": ["ppm"],
        "temperature": ["°C", "K"], "humidity": ["%"],
        "atmospheric_pressure": ["Pa", "hPa", "kPa"],
        "volatile_organic_compounds_parts": ["ppb", "ppm"], "sound_pressure": ["dB"],
        "illuminance": ["lx"], "voltage": ["V", "mV"],
    ]

    private static let counts = "there is no class for counts of particles"
    private static let raw = "it is a number of the part without a unit, and rises with clean air"
    private static let place = "there is a class for places of persons alone, not for one number"

    private static let table: [String: (String, Meaning)] = [
        "pm1": ("PM1", .quantity("pm1")), "pm25": ("PM2.5", .quantity("pm25")),
        "pm10": ("PM10", .quantity("pm10")),
        "pm25_dry": ("PM2.5 without water", .quantity("pm25")),
        "pm10_dry": ("PM10 without water", .quantity("pm10")),
        "pm05": ("PM0.5", .lacking(because: "there is no class for this size")),
        "pm4": (
            "PM4",
            .lacking(because: "2025.4.4 has no such class, and an unknown one loses the entity")
        ),
        "n03": ("Particles from 0.3 µm", .lacking(because: counts)),
        "n05": ("Particles from 0.5 µm", .lacking(because: counts)),
        "n1": ("Particles from 1 µm", .lacking(because: counts)),
        "n25": ("Particles from 2.5 µm", .lacking(because: counts)),
        "n4": ("Particles from 4 µm", .lacking(because: counts)),
        "n5": ("Particles from 5 µm", .lacking(because: counts)),
        "n10": ("Particles from 10 µm", .lacking(because: counts)),
        "size": ("Particle size", .lacking(because: "distances there have no µm")),
        "co2": ("CO₂", .quantity("carbon_dioxide")),
        "co2_corrected": ("CO₂, pressure compensated", .quantity("carbon_dioxide")),
        "co2_equivalent": (
            "CO₂, estimated from other gases",
            .lacking(because: "it is reckoned from vapours, and no CO₂ is measured")
        ),
        "voc": ("VOC", .quantity("volatile_organic_compounds_parts")),
        "tvoc": ("TVOC", .quantity("volatile_organic_compounds_parts")),
        "tvocs": ("TVOC", .quantity("volatile_organic_compounds_parts")),
        "voc_raw": ("Vapours, raw signal", .lacking(because: raw)),
        "gas_resistance": ("Gas resistance", .lacking(because: raw)),
        "formaldehyde": ("Formaldehyde", .lacking(because: "there is no class for this gas")),
        "temperature": ("Temperature", .quantity("temperature")),
        "dew_point": ("Dew point", .quantity("temperature")),
        "humidity": ("Humidity", .quantity("humidity")),
        "pressure": ("Pressure", .quantity("atmospheric_pressure")),
        "illuminance": ("Light", .quantity("illuminance")),
        "sound": ("Sound", .quantity("sound_pressure")),
        "voltage0": ("Voltage at input 0", .quantity("voltage")),
        "voltage1": ("Voltage at input 1", .quantity("voltage")),
        "voltage2": ("Voltage at input 2", .quantity("voltage")),
        "voltage3": ("Voltage at input 3", .quantity("voltage")),
        "cpm": ("Counts a minute", .lacking(because: "there is no class for radiation")),
        "dose_rate": ("Dose rate", .lacking(because: "there is no class for radiation")),
        "altitude": ("Altitude", .lacking(because: "a distance there is a way, not a height")),
        "latitude": ("Latitude", .lacking(because: place)),
        "longitude": ("Longitude", .lacking(because: place)),
        "accuracy": ("Accuracy", .lacking(because: place)),
    ]
}

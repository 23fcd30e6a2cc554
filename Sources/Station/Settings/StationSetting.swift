import Alerts
import Configuration
import ControlProtocol
import Core
import Profiles

/// One setting of the station that a person may change while it runs.
struct StationSetting: Sendable {
    let key: String
    private let kind: SettingReport.Kind
    private let title: String
    private let description: String
    /// Characters at most, where that is not the usual.
    private var longest: Int?
    /// What it can be, the default first.
    private var choices: (@Sendable (StationConfiguration) -> [String])?
    /// Returns the value in use.
    private let value: @Sendable (StationConfiguration) -> String?
    /// Whether the configuration file sets it.
    let isLocked: @Sendable (StationConfiguration) -> Bool

    /// Every setting, in the order in which pages show them.
    static let all = [
        StationSetting(
            key: "title",
            kind: .text,
            title: "Name of the station",
            description: "On every page and in notices, such as Klasse 3b.",
            value: { $0.title ?? $0.name },
            isLocked: { $0.setsTitle }
        ),
        StationSetting(
            key: "zone",
            kind: .zone,
            title: "Time zone",
            description: "Of days, months and times on pages; by default the machine's.",
            value: { $0.zone },
            isLocked: { $0.setsZone }
        ),
        StationSetting(
            key: "position",
            kind: .position,
            title: "Position",
            description: "Latitude and longitude in degrees, as 46.1699, 9.8786; for Sites.",
            value: { $0.position?.text },
            isLocked: { $0.setsPosition }
        ),
        StationSetting(
            key: "levels",
            kind: .choice,
            title: "Levels of the air",
            description: "Limits of lamp and page, for each value: "
                + LevelRule.all.map(\.name).joined(separator: ", ")
                + ", or yours as pm25 10 20, pm10 20 40.",
            value: { $0.levels.name },
            isLocked: { $0.setsLevels }
        ).choosing { configuration in
            let usual = configuration.defaultLevels.name
            return [usual] + LevelRule.all.map(\.name).filter { $0 != usual }
        },
        StationSetting(
            key: "tiles",
            kind: .text,
            title: "Pictures of the map",
            description: "Whose server the page Map asks for pictures, as "
                + "https://tile.openstreetmap.org/{z}/{x}/{y}.png; it learns where you look.",
            value: { $0.tiles?.template },
            isLocked: { $0.setsTiles }
        ).holding(TileServer.lengthMax),
        StationSetting(
            key: "stations",
            kind: .choice,
            title: "Other stations",
            description: "find: the local network is searched for them while the page Sites or "
                + "`roost stations` asks; off. What courier.json says counts.",
            value: { $0.findsStations == true ? "find" : "off" },
            isLocked: { $0.setsStations }
        ).choosing { _ in StationConfiguration.searches },
        StationSetting(
            key: "nowFirst",
            kind: .text,
            title: "First on Now",
            description: "Channels that the page Now shows before all others, in this order, as "
                + "dust/pm25, hall/co2.",
            value: { $0.nowFirst?.text },
            isLocked: { $0.setsNowFirst }
        ).holding(ChannelList.lengthMax),
        StationSetting(
            key: "nowHidden",
            kind: .text,
            title: "Hidden on Now",
            description: "Channels that the page Now folds away, as dust/n03, dust/n05. They are "
                + "measured, judged and recorded as before.",
            value: { $0.nowHidden?.text },
            isLocked: { $0.setsNowHidden }
        ).holding(ChannelList.lengthMax),
    ]

    private init(
        key: String,
        kind: SettingReport.Kind,
        title: String,
        description: String,
        value: @escaping @Sendable (StationConfiguration) -> String?,
        isLocked: @escaping @Sendable (StationConfiguration) -> Bool
    ) {
        (self.key, self.kind, self.title, self.description) = (key, kind, title, description)
        (self.value, self.isLocked) = (value, isLocked)
    }

    /// The same, with a longer text.
    private func holding(_ longest: Int) -> StationSetting {
        var setting = self
        setting.longest = longest
        return setting
    }

    /// The same, as one of several names.
    private func choosing(
        from choices: @escaping @Sendable (StationConfiguration) -> [String]
    ) -> StationSetting {
        var setting = self
        setting.choices = choices
        return setting
    }

    /// Finds the setting with this key; nil for an unknown key.
    init?(_ key: String) {
        guard let found = Self.all.first(where: { $0.key == key }) else { return nil }
        self = found
    }

    func report(_ configuration: StationConfiguration, _ overlay: StationOverlay) -> SettingReport {
        var report = SettingReport(
            key: key,
            kind: kind,
            title: title,
            description: description,
            value: value(configuration),
            origin: isLocked(configuration)
                ? .file : overlay.fields[key] == nil ? .default : .ui
        )
        report.choices = choices?(configuration)
        if let longest { report.longest = longest }
        return report
    }
}

extension PositionReport {
    /// Takes the degrees from a position; nil without a position.
    init?(_ position: Position?) {
        guard let degrees = position?.degrees else { return nil }
        self.init(latitude: degrees.latitude, longitude: degrees.longitude)
    }
}

import Profiles

/// The types of targets, with parsers of their configuration.
enum TargetKind: String, CaseIterable {
    case influx1, influx2, influx3, webhook, mqtt, madavi, safecast, heartbeat
    case gcs, s3, webdav
    case openSenseMap = "opensensemap"
    case sensorCommunity = "sensor-community"
    case safecastDrives = "safecast-drives"

    /// Reads the options of one type of target.
    ///
    /// - Returns: Makes the target; nil with problems noted.
    func read(
        _ reader: inout EntryReader,
        _ common: inout TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        switch self {
        case .influx1: InfluxKinds.influx1(&reader, common)
        case .influx2: InfluxKinds.influx2(&reader, common)
        case .influx3: InfluxKinds.influx3(&reader, common)
        case .webhook: WebhookKind.read(&reader, common)
        case .mqtt: MQTTEntry.read(&reader, common)
        case .sensorCommunity: CommunityKinds.sensorCommunity(&reader, common)
        case .madavi: CommunityKinds.madavi(&reader, common)
        case .openSenseMap: CommunityKinds.openSenseMap(&reader, common)
        case .safecast: CommunityKinds.safecast(&reader, common)
        case .safecastDrives: DriveKind.read(&reader, common)
        case .heartbeat: HeartbeatKind.read(&reader, common)
        case .gcs: FileKinds.google(&reader, common)
        case .s3: FileKinds.objectStore(&reader, common)
        case .webdav: FileKinds.webDAV(&reader, common)
        }
    }
}

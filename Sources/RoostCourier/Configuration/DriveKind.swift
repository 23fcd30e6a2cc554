import Core
import Profiles
import StoreQueries

/// Parser of the targets in `courier.json` that send drives to Safecast.
enum DriveKind {
    static func read(
        _ reader: inout EntryReader,
        _ common: TargetOptions
    ) -> TargetDependencies.MakeTarget? {
        reader.object.leaveOut(["streams", "batchSeconds", "timeoutSeconds"])
        let key = reader.secret("apiKey")
        let credits = text("credits", &reader)
        let cities = text("cities", &reader)
        let words = text("description", &reader, isRequired: false)
        var choice = DriveLog.Choice()
        choice.counter = reader.object.string("device")
        choice.position = reader.object.string("position")
        choice.deviceNumber = reader.whole("deviceID", in: 1...Double(Int32.max)) ?? 0
        let url = reader.optionalURL("url").map { MaskedText($0) }
        guard let key, let credits, let cities else { return nil }
        var description = SafecastDriveTarget.Description(credits: credits, cities: cities)
        if let words { description.text = words }
        return { [choice, description] materials in
            var target = SafecastDriveTarget(
                url: url ?? SafecastDriveTarget.standardURL,
                key: try materials.secrets.secret(key),
                description
            )
            target.trust = common.trust
            var work = DriveWork(target, choice)
            (work.hasBacklog, work.ageLimit) = (common.hasBacklog, common.ageLimit)
            if let pace = common.pace { work.pace = max(pace, work.pace) }
            return .drives(work)
        }
    }

    /// Reads a text of 1 to 200 bytes, not only white space: the service refuses empty ones.
    private static func text(
        _ key: String,
        _ reader: inout EntryReader,
        isRequired: Bool = true
    ) -> String? {
        let given = isRequired ? reader.object.required(key) : reader.object.string(key)
        guard let text = given else { return nil }
        guard (1...200).contains(text.utf8.count), !text.allSatisfy(\.isWhitespace) else {
            reader.object.problem(key, "expected 1 to 200 bytes of text")
            return nil
        }
        return text
    }
}

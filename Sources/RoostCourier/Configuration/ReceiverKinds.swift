import Core
import Profiles

/// The types of receivers, with parsers of their configuration.
enum ReceiverKinds {
    /// Reads the options of one type of receiver.
    ///
    /// - Returns: Makes the receiver; nil with problems noted.
    static func read(
        _ type: String,
        _ reader: inout EntryReader,
        _ common: inout ReceiverOptions,
        _ presets: PresetCatalog
    ) -> TargetDependencies.MakeReceiver? {
        let takesPictures =
            type == MailKind.name || (try? ShippedPresets.preset(type))??.picture != nil
        if !takesPictures { reader.object.leaveOut(["pictures"]) }
        if common.hasPictures, !takesPictures {
            reader.object.problem("pictures", "\"\(type)\" takes none; smtp, ntfy and telegram do")
        }
        switch type {
        case MailKind.name: return MailKind.read(&reader, &common)
        case PushKinds.webPush: return PushKinds.readWebPush(&reader, &common)
        case PushKinds.apns: return PushKinds.readAPNs(&reader, &common)
        default: break
        }
        do {
            if let preset = try presets.preset(type) {
                common.isGrouped = preset.isGrouped
                if let wait = preset.wait, reader.object.value("waitSeconds") == nil {
                    common.wait = wait
                }
                return self.preset(preset, &reader, common)
            }
        } catch {
            reader.object.problem("type", "\(error)")
            return nil
        }
        let all = names(presets)
        if TargetKind(rawValue: type) != nil {
            let words = "\"\(type)\" is a target of what is measured: move it to `targets`"
            reader.object.problem("type", words)
            return nil
        }
        reader.object.problem(
            "type",
            "unknown type \"\(type)\", known are \(all.joined(separator: ", "))",
            meant: Spelling.nearest(to: type, among: all)
        )
        return nil
    }

    /// All types of receivers.
    static func names(_ presets: PresetCatalog) -> [String] {
        presets.ids + [MailKind.name, PushKinds.webPush, PushKinds.apns]
    }

    /// Values of a preset's settings: texts, and names of secrets.
    private struct PresetValues: Sendable {
        var texts: [String: String] = [:]
        var secrets: [String: SecretName] = [:]
        var isWhole = true
    }

    private static func values(of preset: Preset, _ reader: inout EntryReader) -> PresetValues {
        var values = PresetValues()
        for setting in preset.settings {
            let isRequired = !setting.isOptional && setting.fallback == nil
            record(setting, &reader)
            let isNamed =
                if case .object? = reader.object.value(setting.name) { true } else { false }
            if setting.isSecret || isNamed {
                let name = reader.secret(setting.name, isRequired: isRequired)
                if let name { values.secrets[setting.name] = name }
                if name == nil, isRequired { values.isWhole = false }
            } else if reader.object.value(setting.name) == nil {
                guard isRequired else { continue }
                reader.object.problem(setting.name, "is missing: \(setting.about)")
                values.isWhole = false
            } else if setting.name == "url" {
                values.texts["url"] = reader.url("url", isWhole: preset.id != "ntfy")
                // ntfy runs at the root of its host: a path would be the topic given twice.
                if preset.id == "ntfy", let url = values.texts["url"], URLText.hasPath(url) {
                    let words = "is the server's address alone: the topic stands in `topic`"
                    reader.object.problem("url", words)
                }
                if values.texts["url"] == nil { values.isWhole = false }
            } else if let text = reader.object.string(setting.name) {
                values.texts[setting.name] = text
            }
        }
        return values
    }

    private static func record(_ setting: Preset.Setting, _ reader: inout EntryReader) {
        let isURL = setting.name == "url"
        reader.object.record(setting.name, setting.isSecret ? .secret : isURL ? .url : .text) {
            ($0.about, $0.example) = (setting.about, setting.fallback)
            if isURL { $0.choices = ["http", "https"] }
        }
    }

    private static func preset(
        _ preset: Preset,
        _ reader: inout EntryReader,
        _ common: ReceiverOptions
    ) -> TargetDependencies.MakeReceiver? {
        let values = values(of: preset, &reader)
        let key = reader.secret("signature", isRequired: false)
        guard values.isWhole else { return nil }
        return { materials in
            var settings = values.texts.mapValues { TemplateValue.text($0) }
            for (setting, name) in values.secrets {
                settings[setting] = .secret(try materials.secrets.secret(name))
            }
            var receiver = PresetReceiver(
                preset,
                settings: settings,
                station: materials.station,
                zone: materials.zone,
                trust: common.trust
            )
            receiver.signer = try key.map { name in
                WebhookSigner(try materials.secrets.secret(name), clock: materials.clock)
            }
            return receiver
        }
    }
}

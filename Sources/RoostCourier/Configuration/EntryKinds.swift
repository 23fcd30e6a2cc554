import ControlProtocol
import Profiles

/// The types of targets and receivers, with the options that their readers ask for.
package enum EntryKinds {
    /// - Throws: `ConfigurationError` for a preset that cannot be read.
    package static func report(
        _ presets: PresetCatalog
    ) throws(ConfigurationError) -> EntryKindsReport {
        let targets = TargetKind.allCases.map { kind in
            EntryKind(kind.rawValue, fields: fields { target(kind, &$0, $1) })
        }
        var receivers: [EntryKind] = []
        for type in ReceiverKinds.names(presets) {
            var kind = EntryKind(type, fields: fields { receiver(type, presets, &$0, $1) })
            let preset = try presets.preset(type)
            (kind.name, kind.about) = (preset?.name, preset?.about)
            receivers.append(kind)
        }
        return EntryKindsReport(targets: targets, receivers: receivers)
    }

    /// Returns the keys of a type whose values are always secrets; none for an unknown type.
    static func secretKeys(
        of type: String,
        in section: EntrySection,
        _ presets: PresetCatalog
    ) -> [String] {
        let fields = fields { reader, recorder in
            switch section {
            case .receivers: receiver(type, presets, &reader, recorder)
            case .targets: TargetKind(rawValue: type).map { target($0, &reader, recorder) }
            }
        }
        return fields.filter { $0.kind == .secret }.map(\.key)
    }

    private static func target(
        _ kind: TargetKind,
        _ reader: inout EntryReader,
        _ recorder: FieldRecorder
    ) {
        var common = TargetEntry.common(&reader)
        recorder.markCommon()
        _ = kind.read(&reader, &common)
    }

    private static func receiver(
        _ type: String,
        _ presets: PresetCatalog,
        _ reader: inout EntryReader,
        _ recorder: FieldRecorder
    ) {
        var common = ReceiverEntry.common(&reader)
        recorder.markCommon()
        _ = ReceiverKinds.read(type, &reader, &common, presets)
    }

    /// Returns the keys that a reader asks an empty entry for: its own, then the common ones.
    private static func fields(
        _ read: (inout EntryReader, FieldRecorder) -> Void
    ) -> [EntryField] {
        let recorder = FieldRecorder()
        let problems = ProblemList(recordingTo: recorder)
        guard var reader = EntryReader(.object([:]), at: "", problems) else { return [] }
        read(&reader, recorder)
        let fields = recorder.fields
        return (fields.filter { !$0.isCommon } + fields.filter(\.isCommon)).map { field($0) }
    }

    private static func field(_ recorded: FieldRecorder.Field) -> EntryField {
        var field = EntryField(
            recorded.key,
            kind(recorded.kind),
            isRequired: recorded.isRequired,
            isCommon: recorded.isCommon
        )
        field.choices = recorded.choices.isEmpty ? nil : recorded.choices
        (field.low, field.high) = (recorded.bounds?.lowerBound, recorded.bounds?.upperBound)
        field.isWhole = recorded.isWhole ? true : nil
        (field.example, field.about) = (recorded.example, recorded.about)
        field.usual = recorded.usual
        return field
    }

    private static func kind(_ kind: FieldRecorder.Field.Kind) -> EntryField.Kind {
        switch kind {
        case .text: .text
        case .flag: .flag
        case .number: .number
        case .list: .list
        case .map: .map
        case .object: .object
        case .secret: .secret
        case .url: .url
        case .secretURL: .secretURL
        }
    }
}

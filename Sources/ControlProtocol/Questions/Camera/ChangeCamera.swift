import HardwareIO

package struct GetCameraSettings: Question {
    package typealias Answer = CameraSettingsReport
    package static let about = QuestionFacts(
        "settings",
        for: .peopleAndDashboard,
        "Settings of the camera that its owner may change, and the cameras that are plugged in."
    )

    package init() {}
}

package struct ChangeCamera: Question {
    package typealias Answer = CameraSettingsReport
    package static let about = QuestionFacts(
        "set",
        for: .peopleAndDashboard,
        "Puts other settings in place of those that the owner made."
    )
    /// All settings of the owner as JSON text, as in `eyes.json`.
    package let settings: String
    /// `CameraSettingsReport.tag` of what the change was made from; nil changes whatever is there.
    package var tag: String?

    package init(_ settings: String, tag: String? = nil) {
        (self.settings, self.tag) = (settings, tag)
    }
}

package struct UndoCamera: Question {
    package typealias Answer = CameraSettingsReport
    package static let about = QuestionFacts(
        "undo",
        for: .peopleAndDashboard,
        "Brings the settings back that were before the last change."
    )
    /// As of `set`.
    package var tag: String?

    package init(tag: String? = nil) { self.tag = tag }
}

/// The settings of a camera, where each comes from, and what is plugged in.
package struct CameraSettingsReport: Codable, Hashable, Sendable {
    /// One setting.
    package struct Setting: Codable, Hashable, Sendable {
        /// As in `eyes.json`, such as `live.width`.
        package let key: String
        package let kind: EntryField.Kind
        /// The value in effect, as JSON text; `null` where nothing is set and there is no default.
        package let value: String
        package let origin: SettingReport.Origin
        /// The least and the greatest number.
        package var low: Double?
        package var high: Double?
        package var isWhole: Bool?

        package init(
            _ key: String,
            _ kind: EntryField.Kind,
            _ value: String,
            _ origin: SettingReport.Origin
        ) {
            (self.key, self.kind, self.value, self.origin) = (key, kind, value, origin)
        }
    }

    /// Version of the owner's settings; a change with an outdated one is refused as `conflict`.
    package let tag: String
    /// Whether a camera is configured and in use.
    package let isOn: Bool
    /// Whether there is something before the last change.
    package let canUndo: Bool
    /// Path of the file that counts more.
    package let file: String
    /// Whether it names a program that takes the pictures, so that no camera is chosen here.
    package let hasProgram: Bool
    /// Why the owner's settings are not used, without its full stop; the camera is off then.
    package let trouble: String?
    /// All settings of the owner, as JSON text.
    package let own: String
    /// Why parts that stay black lie elsewhere in the live picture, without its full stop; nil
    /// where they do not.
    package var coverTrouble: String?
    package var settings: [Setting] = []
    /// Cameras that are plugged in.
    package var cameras: [EyesReport.Camera] = []

    package init(
        tag: String,
        isOn: Bool,
        canUndo: Bool,
        file: (path: String, hasProgram: Bool),
        trouble: String?,
        own: String
    ) {
        (self.tag, self.isOn, self.canUndo, self.trouble) = (tag, isOn, canUndo, trouble)
        (self.file, hasProgram) = file
        self.own = own
    }
}

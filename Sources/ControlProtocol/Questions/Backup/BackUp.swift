import HardwareIO

/// Programs that own what a backup holds, in the order in which they are restored.
package enum BackupOwner: String, Codable, Hashable, Sendable, CaseIterable {
    /// `roostd`: settings, rules, names of devices, hours of lasers.
    case station
    /// `roost-courier`: targets and receivers.
    case courier
    /// `roost-web`: people.
    case dashboard
    /// `roost-eyes`: settings of the camera.
    case camera

    /// The program's name.
    package var program: String {
        switch self {
        case .station: "roostd"
        case .courier: "roost-courier"
        case .dashboard: "roost-web"
        case .camera: "roost-eyes"
        }
    }
}

/// Returns what a program keeps of its owner, for a backup.
package struct BackUp: Question {
    package typealias Answer = BackupPartReport
    package static let about = QuestionFacts(
        "back-up",
        for: .keepers,
        "What this program keeps of its owner, for a backup."
    )

    /// Whether passwords and tokens are in it.
    package let secrets: Bool

    package init(secrets: Bool) { self.secrets = secrets }
}

/// The answer to `back-up`.
package struct BackupPartReport: Codable, Hashable, Sendable {
    /// JSON that only this program reads.
    package let content: String
    /// Secrets that were left out: passwords, tokens, accounts.
    package let leftOutCount: Int
    /// Whether phones and browsers that get notices were left out; nil for no.
    package var lacksSubscribers: Bool?

    package init(content: String, leftOutCount: Int = 0) {
        (self.content, self.leftOutCount) = (content, leftOutCount)
    }
}

/// The content of the part of `roostd`.
package struct StationPart: Codable, Hashable, Sendable {
    /// A file beside the store with the part of a card's backup, until `roostd` has taken it.
    package static let file = "restore.json"

    /// The owner's settings as their file has them.
    package let settings: String
    /// Records of found devices by their keys in the store.
    package let names: [String: String]
    package let laserSeconds: [String: Int64]

    package init(settings: String, names: [String: String], laserSeconds: [String: Int64]) {
        (self.settings, self.names, self.laserSeconds) = (settings, names, laserSeconds)
    }
}

/// Puts the content of a backup in place of what a program keeps of its owner.
package struct RestorePart: Question {
    package typealias Answer = RestoreReport
    package static let about = QuestionFacts(
        "restore",
        for: .keepers,
        "Puts a backup's content in place of what this program keeps of its owner."
    )
    /// Bytes of a content that fit in one request, where half of them are escaped.
    package static let contentMax = 40 << 10

    package let content: String
    /// Whether it is only checked: nothing is changed.
    package let isTrial: Bool

    package init(_ content: String, isTrial: Bool) {
        (self.content, self.isTrial) = (content, isTrial)
    }
}

/// The answer to `restore`: what changes, or what has changed.
package struct RestoreReport: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case setting, rule, device, laser, target, receiver, subscriber, person, camera
    }

    package enum Change: String, Codable, Hashable, Sendable, CaseIterable {
        case added, changed, removed, same
    }

    package struct Item: Codable, Hashable, Sendable {
        package let kind: Kind
        /// A key, an id or a person's name.
        package let name: String
        package let change: Change
        /// Its new value; nil for what is more than a word.
        package var value: String?
        /// What its owner does after the restore, as a sentence; nil for nothing.
        package var next: String?

        package init(_ kind: Kind, _ name: String, _ change: Change, next: String? = nil) {
            (self.kind, self.name, self.change, self.next) = (kind, name, change, next)
        }

        /// The item for a value before and after; nil where there is neither.
        package init?<Value: Equatable>(
            _ kind: Kind,
            _ name: String,
            _ before: Value?,
            _ after: Value?
        ) {
            switch (before, after) {
            case (nil, nil): return nil
            case (nil, .some): self.init(kind, name, .added)
            case (.some, nil): self.init(kind, name, .removed)
            case (.some(let before), .some(let after)):
                self.init(kind, name, before == after ? .same : .changed)
            }
        }
    }

    package let items: [Item]

    package init(_ items: [Item]) { self.items = items }
}

/// Records which keys a reader of a configuration asks for, instead of reading any.
///
/// An empty object is read with it: each key that is asked for becomes a field, and each that is
/// missed a required one. So a form has the fields that the reader knows, and no list of its own.
package final class FieldRecorder {
    /// One key of an object; a key of an object within it is `place.latitude`.
    package struct Field: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            case text, flag, number, list, map, object, secret, url
            /// An address that may be a secret as a whole.
            case secretURL
        }

        package let key: String
        package let kind: Kind
        package var isRequired = false
        /// Whether every entry of its list has it.
        package var isCommon = false
        /// The texts that are allowed, beside a number for a number; schemes of a URL.
        package var choices: [String] = []
        /// The least and the greatest number.
        package var bounds: ClosedRange<Double>?
        package var isWhole = false
        /// A text as it may stand there; of a map the JSON of one.
        package var example: String?
        /// What counts where the key is left out, as it would stand there; nil where none does.
        package var usual: String?
        /// A sentence for people; nil where the reader has none.
        package var about: String?

        package init(_ key: String, _ kind: Kind) { (self.key, self.kind) = (key, kind) }
    }

    package private(set) var fields: [Field] = []

    package init() {}

    /// Marks every field so far as one that all entries have.
    package func markCommon() {
        for index in fields.indices { fields[index].isCommon = true }
    }

    /// Leaves out keys that mean nothing here, and what is within them.
    package func leaveOut(_ keys: Set<String>) {
        fields.removeAll { keys.contains(String($0.key.prefix { $0 != "." })) }
    }

    /// Adds a field, or completes the one of its key, whose kind stays.
    func record(_ field: Field) {
        guard let index = fields.firstIndex(where: { $0.key == field.key }) else {
            fields.append(field)
            return
        }
        let isPlain = fields[index].choices.isEmpty
        if isPlain { fields[index].choices = field.choices }
        fields[index].bounds = fields[index].bounds ?? field.bounds
        fields[index].isWhole = fields[index].isWhole || field.isWhole
    }

    /// Sets what counts where a key is left out.
    func set(usual: String, of key: String) {
        guard let index = fields.firstIndex(where: { $0.key == key }) else { return }
        fields[index].usual = usual
    }

    /// Marks the field of a key that was missed.
    func require(_ key: String) {
        guard let index = fields.firstIndex(where: { $0.key == key }) else { return }
        fields[index].isRequired = true
    }
}

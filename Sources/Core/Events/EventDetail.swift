/// Named detail of an event: `lamp` and `green`.
package struct EventDetail: Hashable, Sendable {
    package let key: String
    package let value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

import CPowerCutVFS

/// A failure of the play itself, as opposed to the store it is played for.
enum PowerCutError: Error, Hashable, Sendable {
    case scratch(call: String, errno: Int32, path: String)
}

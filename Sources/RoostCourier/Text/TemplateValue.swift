import Core

/// What a name in a template stands for.
package enum TemplateValue: Hashable, Sendable {
    case text(String)
    case number(FixedPoint)
    case flag(Bool)
    case time(WallTime)
    case secret(Secret)
    /// As a time of a clock that no server has set: empty, and `null` in JSON.
    case none

    package init(_ text: String?) { self = text.map(Self.text) ?? .none }

    package init(_ time: WallTime?) { self = time.map(Self.time) ?? .none }
}

import Core

/// Value of a name in a template.
package enum TemplateValue: Hashable, Sendable {
    case text(String)
    case number(FixedPoint)
    case flag(Bool)
    case time(WallTime)
    case secret(Secret)
    /// No value, such as the time of a clock that was never set: empty, and `null` in JSON.
    case none

    package init(_ text: String?) { self = text.map(Self.text) ?? .none }

    package init(_ time: WallTime?) { self = time.map(Self.time) ?? .none }
}

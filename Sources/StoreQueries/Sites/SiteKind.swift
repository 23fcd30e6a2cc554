/// The kind of source that measured at a site.
package enum SiteKind: String, Codable, Sendable, CaseIterable {
    /// A part of Singapore, or all of it (`national`).
    case region
    /// A station of an authority's network.
    case reference
    /// Another Roost.
    case peer
    /// Values that were imported by hand.
    case other
}

/// The version of the whole: daemon, command line, dashboard and formats.
package enum RoostVersion {
    package static let text = "0.1.0"
    /// 2026-09-01: no copy of this version was built before, so none runs before.
    package static let date = WallTime(nanoseconds: 1_788_220_800_000_000_000)
}

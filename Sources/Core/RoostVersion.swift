/// The version of the whole: daemon, command line, dashboard and formats.
package enum RoostVersion {
    package static let text = "0.1.0"
}

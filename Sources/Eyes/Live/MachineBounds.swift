import ControlProtocol
import FileIO

/// Bounds for a live picture: highest temperature, and least free memory, of the machine.
package struct MachineBounds: Hashable, Sendable {
    let celsiusMax: Double
    let freeMegabytesMin: Int

    package init(celsiusMax: Double, freeMegabytesMin: Int) {
        (self.celsiusMax, self.freeMegabytesMin) = (celsiusMax, freeMegabytesMin)
    }

    /// Measured state of the machine; nil for unknown figures.
    package struct Facts: Hashable, Sendable {
        package var celsius: Double?
        var freeMegabytes: Int?

        package init(celsius: Double? = nil, freeMegabytes: Int? = nil) {
            (self.celsius, self.freeMegabytes) = (celsius, freeMegabytes)
        }

        /// Reads the state of this machine.
        ///
        /// - Parameter root: Before each path; for tests.
        /// - Returns: Its hottest zone, and `MemAvailable`.
        package static func read(root: String = "") -> Facts {
            var facts = Facts()
            // Bound: zones are numbered from 0 without a gap.
            for zone in 0..<64 {
                let path = "\(root)/sys/class/thermal/thermal_zone\(zone)/temp"
                guard let text = Files.line(path) else { break }
                guard let number = Double(text) else { continue }
                facts.celsius = max(facts.celsius ?? -274, number / 1_000)
            }
            let memory = (Files.text("\(root)/proc/meminfo") ?? "").split(separator: "\n")
                .first { $0.hasPrefix("MemAvailable:") }
            facts.freeMegabytes = memory?.split(separator: " ").dropFirst().first
                .flatMap { Int($0) }.map { $0 >> 10 }
            return facts
        }
    }

    /// Returns the refusal by the bound that is reached; nil while none is.
    package func refusal(_ facts: Facts) -> LivePictureReport? {
        if let celsius = facts.celsius, celsius >= celsiusMax {
            return LivePictureReport(
                .hot,
                why: "\(Int(celsius)) °C, the limit is \(Int(celsiusMax)) °C"
            )
        }
        if let free = facts.freeMegabytes, free < freeMegabytesMin {
            return LivePictureReport(
                .memory,
                why: "\(free) MiB of memory are free, \(freeMegabytesMin) have to be"
            )
        }
        return nil
    }
}

import Glibc
import StoreQueries

/// Groups the points of a file, and says how long that took in processor time.
struct ClusterBenchmark {
    /// Lines of latitude and longitude in degrees, divided by a space.
    let path: String
    let rounds: Int

    /// Runs it.
    ///
    /// - Returns: One JSON object; `seconds` is the least of all rounds.
    /// - Throws: `ClusterBenchmarkError` for a file that cannot be read.
    func run() throws -> String {
        let values = try points()
        var (least, count) = (Double.infinity, 0)
        for _ in 0..<max(1, rounds) {
            let began = Self.processorSeconds
            count = PlaceClusters(values).clusters.count
            least = min(least, Self.processorSeconds - began)
        }
        return "{\"points\": \(values.count), \"clusters\": \(count), \"seconds\": \(least)}"
    }

    private func points() throws -> [PlacedValue] {
        guard let file = fopen(path, "r") else { throw ClusterBenchmarkError(path: path) }
        defer { fclose(file) }
        var (values, line, size) = ([PlacedValue](), UnsafeMutablePointer<CChar>?.none, 0)
        defer { free(line) }
        while getline(&line, &size, file) > 0 {
            guard let line else { break }
            let numbers = String(cString: line).split { $0 == " " || $0 == "\n" }.compactMap {
                Double($0)
            }
            guard numbers.count == 2,
                let value = PlacedValue(latitude: numbers[0], longitude: numbers[1], value: 1)
            else { throw ClusterBenchmarkError(path: path) }
            values.append(value)
        }
        return values
    }

    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A file that is not there, or has another form.
struct ClusterBenchmarkError: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) has no lines of latitude and longitude" }
}

import CGPIOD
import Core
import Glibc
import HardwareIO

/// GPIO lines of this machine, through libgpiod.
package enum LinuxGPIO {
    /// Version of libgpiod, such as `1.6.3`.
    package static var libraryVersion: String { String(cString: roost_gpio_version()) }

    /// The chips there are, with all their lines.
    package static func chips() -> [GPIOChipReport] {
        GPIOChip.paths().map { path in
            do throws(GPIOError) {
                let chip = try GPIOChip(path: path)
                var lines: [GPIOLineReport] = []
                for offset in 0..<UInt32(chip.lineCount) {
                    lines.append(try chip.line(at: offset))
                }
                return GPIOChipReport(path: path, label: chip.label, lines: lines, problem: nil)
            } catch {
                return GPIOChipReport(path: path, label: nil, lines: [], problem: error)
            }
        }
    }

    /// Requests all lines of a request, or none.
    ///
    /// With libgpiod 1.6, which cannot ask the kernel to debounce, edges are debounced here.
    ///
    /// - Parameters:
    ///   - request: Which lines, as what; 1…64 of one chip.
    ///   - loop: Where edges are waited for.
    /// - Returns: The lines, held until released.
    package static func requestLines(
        _ request: LineRequest,
        on loop: EventLoop
    ) throws(GPIOError) -> any GPIOLines {
        precondition(
            1...Int(ROOST_GPIO_MAX_LINES) ~= request.lines.count,
            "a request has 1…64 lines"
        )
        let place = try find(request)
        var code: Int32 = 0
        guard let handle = openLines(request, at: place, error: &code) else {
            throw code == EBUSY
                ? busy(request, at: place)
                : .because(code, of: "GPIO_GET_LINE", path: place.path, chip: place.label)
        }
        return try LinuxGPIOLines(handle, request: request, chip: place.label, on: loop)
    }

    /// Chip and offsets of a request's lines.
    private struct Place {
        let path: String
        let label: String
        let offsets: [UInt32]
    }

    private static func find(_ request: LineRequest) throws(GPIOError) -> Place {
        var labels: [String] = []
        var missing: (line: LineRequest.Line, chip: String)?
        var problem: GPIOError?
        for path in GPIOChip.paths() {
            let chip: GPIOChip
            do throws(GPIOError) { chip = try GPIOChip(path: path) } catch {
                // One that went away since it was listed is no problem.
                if case .disconnected = error { continue }
                problem = problem ?? error
                continue
            }
            labels.append(chip.label)
            guard request.chipLabel == nil || request.chipLabel == chip.label else { continue }
            let offsets = try request.lines.map { (line) throws(GPIOError) in
                try chip.offset(of: line)
            }
            guard let index = offsets.firstIndex(of: nil) else {
                return Place(
                    path: path,
                    label: chip.label,
                    offsets: offsets.compactMap(\.self)
                )
            }
            missing = missing ?? (request.lines[index], chip.label)
        }
        // A chip that could not be opened may be the one that is wanted.
        if let problem { throw problem }
        guard let missing else {
            throw .noChip(label: request.chipLabel ?? "*", present: labels)
        }
        throw .noLine(
            line: missing.line.description,
            chip: request.chipLabel ?? labels.joined(separator: " or ")
        )
    }

    private static func openLines(
        _ request: LineRequest,
        at place: Place,
        error: inout Int32
    ) -> OpaquePointer? {
        var asked = roost_gpio_request()
        asked.line_count = UInt32(place.offsets.count)
        asked.is_active_low = request.isActiveLow
        var initial: [UInt8]?
        switch request.direction {
        case .output(let values):
            precondition(values.count == request.lines.count, "a value for each line")
            initial = values.map { $0 ? 1 : 0 }
        case .input(let edges, let bias, let debounce):
            asked.bias = bias.code
            asked.debounce_us = UInt32(clamping: max(debounce, .zero).wholeNanoseconds / 1_000)
            // Debouncing here needs both edges, also when the caller asked for one.
            let isOurs = debounce > .zero && !roost_gpio_has_debounce()
            asked.edges = isOurs ? ROOST_GPIO_EDGES_BOTH : edges.code
        }
        return place.offsets.withUnsafeBufferPointer { offsets in
            request.consumer.withCString { consumer in
                (initial ?? []).withUnsafeBufferPointer { values in
                    asked.offsets = offsets.baseAddress
                    asked.consumer = consumer
                    asked.initial_values = initial == nil ? nil : values.baseAddress
                    return roost_gpio_request_lines(place.path, &asked, &error)
                }
            }
        }
    }

    /// Makes the error that names the busy line and its holder.
    private static func busy(_ request: LineRequest, at place: Place) -> GPIOError {
        let chip = try? GPIOChip(path: place.path)
        let reports = place.offsets.map { try? chip?.line(at: $0) }
        // If the busy line was released meanwhile, the error names the first one.
        let index = reports.firstIndex { $0?.isUsed ?? false } ?? 0
        let name = reports[index]?.name ?? request.lines[index].description
        return .busy(
            line: name,
            chip: place.label,
            holder: reports[index]?.consumer,
            hint: PinHint.text(lineNames: [name])
        )
    }
}

extension LineRequest.EdgeDetection {
    fileprivate var code: roost_gpio_edges {
        switch self {
        case .rising: ROOST_GPIO_EDGES_RISING
        case .falling: ROOST_GPIO_EDGES_FALLING
        case .both: ROOST_GPIO_EDGES_BOTH
        }
    }
}

extension LineRequest.Bias {
    fileprivate var code: roost_gpio_bias {
        switch self {
        case .asIs: ROOST_GPIO_BIAS_AS_IS
        case .disabled: ROOST_GPIO_BIAS_DISABLED
        case .pullUp: ROOST_GPIO_BIAS_PULL_UP
        case .pullDown: ROOST_GPIO_BIAS_PULL_DOWN
        }
    }
}

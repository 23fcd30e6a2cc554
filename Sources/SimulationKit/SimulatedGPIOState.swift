import Core
import DequeModule
import HardwareIO

/// The chips, lines and requests of a `SimulatedGPIO`; pure, under its lock.
struct SimulatedGPIOState {
    /// Edges that wait for each line of a request, as in the kernel.
    ///
    /// - Source: Linux, `include/uapi/linux/gpio.h`, `event_buffer_size`: lines × 16 by default.
    static let queueLimitPerLine = 16

    private struct Place: Hashable {
        let chip: Int
        let offset: Int
    }

    private struct LineState {
        var level = false
        var stuckAt: Bool?
        var holder: String?
        var hint: String?
        var request: Int?
    }

    private struct RequestState {
        let request: LineRequest
        let places: [Place]
        let signal: Signal
        var queue: Deque<EdgeEvent> = []
        var sequences: [UInt32]
        var isConnected = true
    }

    private let chips: [SimulatedGPIO.Chip]
    private let queueRule: SimulatedGPIO.QueueRule
    private var absentLabels: Set<String> = []
    private var lines: [Place: LineState] = [:]
    private var requests: [Int: RequestState] = [:]
    private var nextID = 1

    var isPermitted = true
    private(set) var history: [SimulatedGPIO.OutputChange] = []
    private(set) var setCount = 0
    private(set) var faultCounts: [SimulatedGPIO.Fault: Int] = [:]

    init(chips: [SimulatedGPIO.Chip], queueRule: SimulatedGPIO.QueueRule) {
        self.chips = chips
        self.queueRule = queueRule
    }
}

// Requests.
extension SimulatedGPIOState {
    mutating func open(
        _ request: LineRequest,
        signal: Signal,
        at now: MonotonicInstant
    ) throws(GPIOError) -> (id: Int, chip: String) {
        precondition((1...64).contains(request.lines.count), "a request has 1 to 64 lines")
        let chipIndex = try findChip(request)
        let chip = chips[chipIndex]
        guard isPermitted else {
            fire(.noPermission)
            throw .noPermission(path: chip.path, owner: "root", group: "gpio", mode: "0660")
        }
        var places: [Place] = []
        for line in request.lines {
            guard let offset = Self.offset(of: line, on: chip) else {
                throw .noLine(line: line.description, chip: chip.label)
            }
            let place = Place(chip: chipIndex, offset: offset)
            let state = lines[place, default: LineState()]
            if state.holder != nil || state.request != nil || places.contains(place) {
                fire(.busy)
                throw .busy(
                    line: line.description,
                    chip: chip.label,
                    holder: state.holder,
                    hint: state.hint
                )
            }
            places.append(place)
        }
        let id = nextID
        nextID += 1
        for place in places {
            lines[place, default: LineState()].request = id
            lines[place]?.holder = request.consumer
        }
        requests[id] = RequestState(
            request: request,
            places: places,
            signal: signal,
            sequences: Array(repeating: 0, count: places.count)
        )
        if case .output(let initial) = request.direction {
            precondition(initial.count == places.count, "one first value for each line")
            write(initial, of: id, at: now)
        }
        return (id, chip.label)
    }

    private mutating func findChip(_ request: LineRequest) throws(GPIOError) -> Int {
        let present = chips.indices.filter { !absentLabels.contains(chips[$0].label) }
        if let label = request.chipLabel {
            if let index = present.first(where: { chips[$0].label == label }) { return index }
            fire(.missingChip)
            throw .noChip(label: label, present: present.map { chips[$0].label })
        }
        let isComplete = { (chip: SimulatedGPIO.Chip) in
            request.lines.allSatisfy { Self.offset(of: $0, on: chip) != nil }
        }
        if let index = present.first(where: { isComplete(chips[$0]) }) { return index }
        let names = present.map { chips[$0].label }
        let missing = request.lines.first { line in
            present.allSatisfy { Self.offset(of: line, on: chips[$0]) == nil }
        }
        throw .noLine(
            line: (missing ?? request.lines[0]).description,
            chip: names.isEmpty ? "this machine" : names.joined(separator: ", ")
        )
    }

    private static func offset(
        of line: LineRequest.Line,
        on chip: SimulatedGPIO.Chip
    ) -> Int? {
        switch line {
        case .name(let name): chip.lineNames.firstIndex(of: name)
        case .offset(let offset): chip.lineNames.indices.contains(offset) ? offset : nil
        }
    }

    mutating func release(_ id: Int) {
        guard let request = requests.removeValue(forKey: id) else { return }
        for place in request.places where lines[place]?.request == id {
            lines[place]?.request = nil
            lines[place]?.holder = nil
        }
    }

    private func connected(_ id: Int) throws(GPIOError) -> RequestState {
        guard let request = requests[id], request.isConnected else {
            let chip = requests[id].map { chips[$0.places[0].chip].label }
            throw .disconnected(chip: chip ?? "released")
        }
        return request
    }

    func values(_ id: Int) throws(GPIOError) -> [Bool] {
        let request = try connected(id)
        return request.places.map {
            lines[$0, default: LineState()].level != request.request.isActiveLow
        }
    }

    mutating func set(
        _ id: Int,
        _ values: [Bool],
        at now: MonotonicInstant
    ) throws(GPIOError) {
        let request = try connected(id)
        let chip = chips[request.places[0].chip].label
        guard case .output = request.request.direction, values.count == request.places.count else {
            throw .system(call: "GPIO_V2_LINE_SET_VALUES_IOCTL", errno: 1, chip: chip)
        }
        setCount += 1
        write(values, of: id, at: now)
    }

    private mutating func write(_ values: [Bool], of id: Int, at now: MonotonicInstant) {
        guard let request = requests[id] else { return }
        for (place, value) in zip(request.places, values) {
            lines[place, default: LineState()].level = value != request.request.isActiveLow
        }
        if history.count >= SimulatedGPIO.historyLimit {
            history.removeFirst(history.count / 2)
        }
        history.append(
            SimulatedGPIO.OutputChange(
                instant: now,
                consumer: request.request.consumer,
                values: values
            )
        )
    }

    mutating func takeEdges(_ id: Int) throws(GPIOError) -> [EdgeEvent] {
        // Edges that waited when the chip went are lost with it.
        let edges = Array(try connected(id).queue)
        requests[id]?.queue.removeAll(keepingCapacity: true)
        return edges
    }
}

// The kernel's list.
extension SimulatedGPIOState {
    var reports: [GPIOChipReport] {
        chips.indices.filter { !absentLabels.contains(chips[$0].label) }.map { index in
            let chip = chips[index]
            guard isPermitted else {
                let problem = GPIOError.noPermission(
                    path: chip.path,
                    owner: "root",
                    group: "gpio",
                    mode: "0660"
                )
                return GPIOChipReport(path: chip.path, label: nil, lines: [], problem: problem)
            }
            let lines = chip.lineNames.enumerated().map { offset, name in
                report(Place(chip: index, offset: offset), name)
            }
            return GPIOChipReport(path: chip.path, label: chip.label, lines: lines, problem: nil)
        }
    }

    private func report(_ place: Place, _ name: String?) -> GPIOLineReport {
        let state = lines[place, default: LineState()]
        var (isOutput, isActiveLow) = (false, false)
        if let request = state.request.flatMap({ requests[$0] })?.request {
            if case .output = request.direction { isOutput = true }
            isActiveLow = request.isActiveLow
        }
        return GPIOLineReport(
            offset: place.offset,
            name: name,
            consumer: state.holder,
            isUsed: state.holder != nil,
            isOutput: isOutput,
            isActiveLow: isActiveLow
        )
    }
}

// The world outside.
extension SimulatedGPIOState {
    private func place(of line: String) -> Place {
        for (index, chip) in chips.enumerated() {
            if let offset = chip.lineNames.firstIndex(of: line) {
                return Place(chip: index, offset: offset)
            }
        }
        preconditionFailure("no simulated line is named \(line)")
    }

    func level(of line: String) -> Bool { lines[place(of: line)]?.level ?? false }

    func holder(of line: String) -> String? { lines[place(of: line)]?.holder }

    mutating func drive(_ line: String, _ value: Bool, at instant: MonotonicInstant) -> Signal? {
        let place = place(of: line)
        if let stuckAt = lines[place]?.stuckAt, stuckAt != value {
            fire(.stuck)
            return nil
        }
        return change(place, to: value, at: instant)
    }

    mutating func stick(_ line: String, at value: Bool?, now: MonotonicInstant) -> Signal? {
        let place = place(of: line)
        lines[place, default: LineState()].stuckAt = value
        guard let value else { return nil }
        return change(place, to: value, at: now)
    }

    private mutating func change(
        _ place: Place,
        to value: Bool,
        at instant: MonotonicInstant
    ) -> Signal? {
        var line = lines[place, default: LineState()]
        guard line.level != value else { return nil }
        line.level = value
        lines[place] = line
        guard let id = line.request, var request = requests[id], request.isConnected,
            case .input(let edges, _, _) = request.request.direction,
            let index = request.places.firstIndex(of: place)
        else { return nil }
        let isRising = value != request.request.isActiveLow
        guard edges == .both || (edges == .rising) == isRising else { return nil }
        request.sequences[index] += 1
        let edge = EdgeEvent(
            line: index,
            isRising: isRising,
            instant: instant,
            sequence: request.sequences[index]
        )
        if request.queue.count < Self.queueLimitPerLine * request.places.count {
            request.queue.append(edge)
        } else {
            fire(.overrun)
            if queueRule == .dropsOldest {
                request.queue.removeFirst()
                request.queue.append(edge)
            }
        }
        requests[id] = request
        return request.signal
    }

    mutating func hold(_ line: String, by holder: String?, hint: String?) {
        let place = place(of: line)
        precondition(lines[place]?.request == nil, "a request of ours holds \(line)")
        lines[place, default: LineState()].holder = holder
        lines[place]?.hint = hint
    }

    mutating func disconnect(chip label: String) -> [Signal] {
        absentLabels.insert(label)
        var signals: [Signal] = []
        for (id, request) in requests.sorted(by: { $0.key < $1.key })
        where chips[request.places[0].chip].label == label && request.isConnected {
            fire(.disconnected)
            requests[id]?.isConnected = false
            signals.append(request.signal)
        }
        return signals
    }

    mutating func reconnect(chip label: String) {
        absentLabels.remove(label)
        for place in lines.keys where chips[place.chip].label == label {
            lines[place] = LineState()
        }
    }

    private mutating func fire(_ fault: SimulatedGPIO.Fault) {
        faultCounts[fault, default: 0] += 1
    }
}

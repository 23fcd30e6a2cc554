import Core

/// Result of comparing one day with the receiver's samples.
struct DayProof: Hashable, Sendable {
    /// First moment of the day, UTC.
    let day: WallTime
    /// Time before which values are compared, since later ones wait; nil means the whole day.
    let until: WallTime?
    /// Devices whose values are compared up to an earlier time, since their next ones wait.
    let behind: [String: WallTime]
    /// Number of values delivered to the receiver, by our count.
    let delivered: Int
    /// Number of values that the receiver has; nil when it cannot be asked.
    let held: Int?
    /// Whether counts and sums agree; nil when it cannot be asked.
    let isProved: Bool?
}

/// Compares the samples at a receiver with those delivered to it.
///
/// It compares the values of each quantity before the first one that is not settled, so that
/// deliveries during the comparison make no difference.
struct OutboxProver: Sendable {
    private let snapshot: OutboxSnapshot
    private let fates: SampleFates

    init(_ snapshot: OutboxSnapshot) {
        (self.snapshot, fates) = (snapshot, SampleFates(snapshot))
    }

    private static let dayLength: Int64 = 86_400_000_000_000
    private static let second: Int64 = 1_000_000_000

    /// Bounds of the comparison by device and quantity: from `starts`, before `ends`.
    ///
    /// A quantity without a start is compared from its oldest value on.
    private struct Bounds {
        var starts: [String: [String: WallTime]] = [:]
        var ends: [String: [String: WallTime]] = [:]

        func contains(_ time: WallTime, of device: String, _ quantity: String) -> Bool {
            (starts[device]?[quantity].map { time >= $0 } ?? true)
                && (ends[device]?[quantity].map { time < $0 } ?? true)
        }

        /// Returns the part of a range in which a quantity is compared; it may be empty.
        func part(of range: Range<WallTime>, _ device: String, _ name: String) -> Range<WallTime> {
            let start = max(starts[device]?[name] ?? range.lowerBound, range.lowerBound)
            let end = min(ends[device]?[name] ?? range.upperBound, range.upperBound)
            return start..<max(start, end)
        }
    }

    /// Asks the receiver for its values of each day, and compares.
    ///
    /// - Parameters:
    ///   - range: Whole days of UTC are looked at; it ends now.
    ///   - repairs: Whether days that differ are sent again; harmless where points overwrite.
    /// - Returns: nil when this kind of target cannot be asked.
    /// - Throws: `NetworkFailure`; what reading the store throws; `CancellationError`.
    func prove(_ range: Range<WallTime>, repairs: Bool) async throws -> [DayProof]? {
        guard let target = snapshot.target as? any ProvableTarget else { return nil }
        let bounds = try await bounds(before: range.upperBound)
        var proofs: [DayProof] = []
        var start = range.lowerBound.nanoseconds / Self.dayLength * Self.dayLength
        while start < range.upperBound.nanoseconds {
            try Task.checkCancellation()
            let day = WallTime(nanoseconds: start)
            let end = WallTime(nanoseconds: start + Self.dayLength)
            var proof = try await prove(day..<end, bounds, at: target)
            if proof.isProved == false, repairs, traitsAllowRepair {
                try await sendAgain(day..<end)
                proof = try await prove(day..<end, bounds, at: target)
            }
            if proof.delivered > 0 || (proof.held ?? 0) > 0 { proofs.append(proof) }
            start += Self.dayLength
        }
        return proofs
    }

    private var traitsAllowRepair: Bool {
        snapshot.target.traits.repetition == .harmless
    }

    private func prove(
        _ range: Range<WallTime>,
        _ bounds: Bounds,
        at target: any ProvableTarget
    ) async throws -> DayProof {
        var (delivered, held): (Int, Int?) = (0, 0)
        var (isProved, ends) = (true, [String: WallTime]())
        for (device, own) in try await sums(in: range, bounds) {
            let names = own.keys.sorted().filter { target.sends($0, of: device) }
            let groups = Dictionary(grouping: names) { bounds.part(of: range, device, $0) }
            for (part, names) in groups where !part.isEmpty {
                ends[device] = min(ends[device] ?? part.upperBound, part.upperBound)
                delivered += names.reduce(0) { $0 + (own[$1]?.count ?? 0) }
                let theirs = try await target.holdings(
                    of: device,
                    names,
                    in: part,
                    over: snapshot.network
                )
                guard let theirs else {
                    held = nil
                    continue
                }
                held = held.map { $0 + theirs.reduce(0) { $0 + $1.count } }
                for (name, sum) in zip(names, theirs)
                where !(own[name]?.agrees(with: sum) ?? false) {
                    isProved = false
                }
            }
        }
        let until = ends.values.max() ?? range.upperBound
        return DayProof(
            day: range.lowerBound,
            until: until < range.upperBound ? until : nil,
            behind: ends.filter { $0.value < until },
            delivered: delivered,
            held: held,
            isProved: held == nil ? nil : isProved
        )
    }

    /// Returns the bounds within which the values of each quantity are compared.
    ///
    /// They end with the second of the first sample that is not settled, or after that of the last
    /// settled one. They are whole seconds, as some receivers keep no fractions; samples of the
    /// second before `now` are left out, since more may come. Of two streams with one quantity the
    /// one that goes on counts. Where a target was added later than a stream, they begin with the
    /// first whole second that it got: an earlier target of this name may have sent more.
    private func bounds(before now: WallTime) async throws -> Bounds {
        let latest = Self.floor(now.nanoseconds) - Self.second
        var (bounds, closed) = (Bounds(), [String: [String: WallTime]]())
        for stream in try await snapshot.source.streams() {
            let mark = snapshot.marks[stream]
            if let begin = mark?.begin { try await start(stream, after: begin, &bounds) }
            let next = try await first(of: stream, after: mark?.settled)
            if let sample = next, let time = sample.time {
                let end = WallTime(nanoseconds: min(Self.floor(time.nanoseconds), latest))
                for quantity in sample.quantities {
                    let known = bounds.ends[sample.device]?[quantity.name] ?? end
                    bounds.ends[sample.device, default: [:]][quantity.name] = min(known, end)
                }
                continue
            }
            let last = try await first(of: stream, after: mark?.settled?.earlier)
            guard let sample = last, let time = sample.time else { continue }
            let after = Self.floor(time.nanoseconds) + Self.second
            let end = WallTime(nanoseconds: min(after, latest))
            for quantity in sample.quantities {
                let known = closed[sample.device]?[quantity.name] ?? end
                closed[sample.device, default: [:]][quantity.name] = max(known, end)
            }
        }
        bounds.ends.merge(closed) { open, closed in open.merging(closed) { open, _ in open } }
        return bounds
    }

    private func start(
        _ stream: StreamID,
        after begin: OutboxPosition,
        _ bounds: inout Bounds
    ) async throws {
        guard let sample = try await first(of: stream, after: begin.earlier),
            let time = sample.time
        else { return }
        let start = WallTime(nanoseconds: Self.floor(time.nanoseconds) + Self.second)
        for quantity in sample.quantities {
            let known = bounds.starts[sample.device]?[quantity.name] ?? start
            bounds.starts[sample.device, default: [:]][quantity.name] = max(known, start)
        }
    }

    private func first(
        of stream: StreamID,
        after place: OutboxPosition?
    ) async throws -> OutboxSample? {
        try await snapshot.source.page(of: stream, after: place, limit: 1)?.samples.first
    }

    private static func floor(_ nanoseconds: Int64) -> Int64 { nanoseconds / second * second }

    /// Sums the delivered values by device and quantity.
    private func sums(
        in range: Range<WallTime>,
        _ bounds: Bounds
    ) async throws -> [String: [String: ValueSum]] {
        var sums: [String: [String: ValueSum]] = [:]
        try await each(in: range) { sample in
            for (quantity, outcome) in zip(sample.quantities, sample.outcomes) {
                guard let value = outcome.value, let time = sample.time,
                    bounds.contains(time, of: sample.device, quantity.name)
                else { continue }
                sums[sample.device, default: [:]][quantity.name, default: ValueSum()]
                    .add(value.doubleValue)
            }
        }
        return sums
    }

    private func sendAgain(_ range: Range<WallTime>) async throws {
        var samples: [OutboxSample] = []
        try await each(in: range) { samples.append($0) }
        let limit = snapshot.target.traits.itemLimit
        for start in stride(from: 0, to: samples.count, by: limit) {
            let part = Array(samples[start..<min(start + limit, samples.count)])
            let first = part.first.map { "\($0.stream.rawValue) \($0.boot) \($0.tick)" } ?? ""
            let id = BatchID.digest(Array("again \(snapshot.id) \(first) \(part.count)".utf8))
            let batch = SampleBatch(part, id: id, isLate: true)
            guard
                try await snapshot.target.deliver(
                    batch,
                    over: snapshot.network
                ) == .delivered
            else { return }
        }
    }

    /// Passes on the delivered samples, stream by stream.
    private func each(
        in range: Range<WallTime>,
        _ body: (OutboxSample) -> Void
    ) async throws {
        for stream in try await snapshot.source.streams() {
            let start = try await snapshot.source.place(notAfter: range.lowerBound)
            var place = start?.earlier
            while let page = try await snapshot.source.page(of: stream, after: place, limit: 2_000),
                let last = page.samples.last
            {
                for sample in page.samples {
                    guard let time = sample.time, range.contains(time) else { continue }
                    if isDelivered(sample, at: page.place(sample)) { body(sample) }
                }
                place = page.place(last)
                if let time = last.time, time >= range.upperBound { break }
            }
        }
    }

    private func isDelivered(_ sample: OutboxSample, at place: OutboxPosition) -> Bool {
        switch fates.kind(of: sample, at: place) {
        case .delivered, .settled: true
        case .waiting, .notSeen, .earlier, .leftOut: false
        }
    }
}

extension OutboxTask {
    /// Whether the target can be asked for its values.
    nonisolated var isProvable: Bool {
        ((target as? TunedTarget)?.target ?? target) is any ProvableTarget
    }
}

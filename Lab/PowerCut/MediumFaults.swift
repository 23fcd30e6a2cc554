/// Runs the workload again and again, each time with a medium that refuses from another point on.
///
/// After each run the medium works again and `verify` must find all that was acknowledged. The
/// workload may throw once it was refused, but not claim what did not happen.
///
/// - Parameters:
///   - faults: The ways to refuse; each is tried once for one operation and once for all after it.
///   - stride: Every how many operations the first refusal lies; 1 is each of them.
///   - workload: As for `powercut`; run twice for each fault and position.
/// - Returns: What was tried and what failed.
/// - Throws: `PowerCutError`, or what the workload throws when nothing is refused.
package func mediumFaults(
    _ faults: [PowerCutFault] = PowerCutFault.allCases,
    stride: Int = 1,
    workload: (PowerCutRecording) throws -> Void,
    verify: (PowerCutState) throws -> Void,
    progress: (PowerCutProgress) -> Void = { _ in }
) throws -> PowerCutReport {
    var report = PowerCutReport()
    report.operationCount = try recorded(workload).count
    for position in Swift.stride(from: 0, to: report.operationCount, by: stride) {
        for fault in faults {
            for count in [1, Int.max] {
                let error = try refused(fault, position, count, workload, verify)
                report.stateCount += 1
                guard let error else { continue }
                let text = count == 1 ? "once" : "for good"
                report.failures.append(
                    PowerCutFailure(
                        played: "\(position):\(fault.rawValue) \(text)",
                        after: "after \(position) operations",
                        error: error,
                        command: "deterministic: run the same test"
                    )
                )
                guard report.failures.count < PowerCutPlan().failureCountMax else { return report }
            }
        }
        progress(
            PowerCutProgress(
                position: position,
                operationCount: report.operationCount,
                stateCount: report.stateCount,
                equalCount: 0,
                failureCount: report.failures.count
            )
        )
    }
    return report
}

/// Runs the workload once with a fault; returns the error of `verify`, nil without one.
private func refused(
    _ fault: PowerCutFault,
    _ position: Int,
    _ count: Int,
    _ workload: (PowerCutRecording) throws -> Void,
    _ verify: (PowerCutState) throws -> Void
) throws(PowerCutError) -> (any Error)? {
    let folder = try ScratchFolder()
    let recording = PowerCutRecording(folder: folder.path)
    recording.fail(fault, from: position, count: count)
    // The workload may report a broken medium as it likes; its acknowledgements must hold.
    try? workload(recording)
    recording.fail(fault, from: 0, count: 0)
    let acknowledged = recording.operations.compactMap { operation -> Int64? in
        if case .acknowledge(let number) = operation { number } else { nil }
    }
    do {
        try verify(PowerCutState(folder: folder.path, acknowledged: acknowledged))
        return nil
    } catch {
        return error
    }
}

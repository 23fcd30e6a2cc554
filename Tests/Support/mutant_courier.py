"""The mistakes of the courier, as rows of mutant_table.py."""

OUTBOX = "RoostCourierTests.OutboxTask|RoostCourierTests.CourierNode"
MACHINE = "Sources/RoostCourier/Outbox/OutboxMachine.swift"
NOTICES = "RoostCourierTests.NoticePlanner"
PUSH = "RoostCourierTests.PushTask|RoostCourierTests.PushDesk|RoostCourierTests.APNs"

COURIER = [
    # The outbox: each sample has one fate, and the sum is what was recorded.
    (MACHINE, "        mark.waiting += count\n", "        mark.waiting += max(count - 1, 0)\n",
     "counts one sample of each look too few", OUTBOX),
    (MACHINE, "totals.leaveOut([.expired: lost])", "_ = lost",
     "forgets what the ring wrote over", OUTBOX),
    (MACHINE, "totals.leaveOut(part.leftOut)", "",
     "forgets what was left out of a batch", OUTBOX),
    (MACHINE, "mark.waiting -= part.count", "mark.waiting -= part.sent",
     "lets what was left out wait for ever", OUTBOX),
    (MACHINE, "if traits.repetition == .atMostOnce {", "if traits.repetition == .atMostOnce, waiting < 0 {",
     "sends again what must never go twice", OUTBOX),
    (MACHINE, "guard draft.samples.count <= 1 else {", "guard draft.samples.count <= 1_000_000 else {",
     "leaves out a whole batch for one bad sample", OUTBOX),
    (MACHINE, "(held, trouble) = (reason, reason)", "(held, trouble) = (nil, reason)",
     "never says that a person has to act", OUTBOX),
    (MACHINE, "continues: after == mark.ranges.last?.to)", "continues: after != nil || true)",
     "takes two ranges with a hole for one", OUTBOX),
    (MACHINE, "mark.settle(to: part.to)", "mark.settle(to: mark.seen ?? part.to)",
     "settles more than was sent", OUTBOX),
    (MACHINE, "notBefore = now.advanced(by: delay.fail(afterSeconds: after))",
     "notBefore = now.advanced(by: delay.fail(afterSeconds: nil))",
     "does not hear Retry-After", OUTBOX),
    # Notices: at most one in an interval, and none lost.
    ("Sources/RoostCourier/Notices/NoticePlanner.swift",
     "if plan.takesToken { tokenAt = now.advanced(by: options.every) }",
     "if plan.takesToken { tokenAt = now }",
     "sends as many notices as there are", NOTICES),
    ("Sources/RoostCourier/Notices/NoticePlanner.swift",
     "for number in sent { alerts[number]?.isWaiting = false }", "",
     "sends all again after a restart", NOTICES),
    # Phones and browsers.
    ("Sources/RoostCourier/Push/PushFanout.swift",
     "languages = Set(subscribers.map(\\.language))",
     "languages = Set(subscribers.dropFirst().map(\\.language))",
     "says what is over as if it lasted", PUSH),
    ("Sources/RoostCourier/Push/PushTask.swift",
     "$0.interval == interval && $0.isUnderWay }", "$0.interval == interval }",
     "one push service holds up the others", PUSH),
    ("Sources/RoostCourier/Push/APNsSender.swift",
     "held.isDatedNow ? now : now - now % Self.renewalSeconds", "now",
     "a restart has Apple refuse a second token", PUSH),
    ("Sources/RoostCourier/Push/PushBuckets.swift",
     "for interval in free { used[interval] = now }", "",
     "notifies without an interval", PUSH),
]

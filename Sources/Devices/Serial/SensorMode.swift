import Runtime

/// How a sensor spends its time.
package enum SensorMode: Hashable, Sendable {
    /// Wakes, warms up, measures, sleeps.
    case dutyCycle(DutyCycle)
    /// Measures all the time: one sample each interval of the part.
    case live
}

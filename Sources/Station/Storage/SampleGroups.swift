import Core

/// Readings of one device at one instant, which belong to one sample.
struct SampleGroups {
    /// In the order of their first readings.
    let samples: [[Reading]]

    init(_ readings: [Reading]) {
        var samples: [[Reading]] = []
        for reading in readings {
            if let index = samples.lastIndex(where: {
                $0[0].channel.device == reading.channel.device
            }),
                samples[index][0].instant == reading.instant,
                !samples[index].contains(where: { $0.channel == reading.channel })
            {
                samples[index].append(reading)
            } else {
                samples.append([reading])
            }
        }
        self.samples = samples
    }
}

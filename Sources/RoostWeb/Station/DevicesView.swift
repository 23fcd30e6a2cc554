import ControlProtocol
import Core

/// `/devices`: what the station has, and what it found and does not use.
struct DevicesView {
    let report: DevicesReport
    let status: StatusReport

    var json: String {
        var json = JSONTextBuilder()
        json.object { json in
            json.array("devices", report.devices) { json, device in write(device, &json) }
            json.array("found", report.found) { json, found in write(found, &json) }
            json.array("unclaimed", report.unclaimed) { json, adapter in
                json.object { json in
                    json.member("node", adapter.node)
                    json.member("usb", Self.usb(adapter))
                    json.member("serial", adapter.serial)
                }
            }
        }
        return json.text
    }

    private static func usb(_ adapter: UnclaimedReport) -> String? {
        adapter.vendorID.map { "\($0):\(adapter.productID ?? "")" }
    }

    private func write(_ device: DeviceReport, _ json: inout JSONTextBuilder) {
        let channels = status.channels.filter { $0.channel.hasPrefix(device.name + "/") }
        let found = report.found.first { $0.name == device.name }
        json.object { json in
            json.member("name", device.name)
            json.member("profile", device.type)
            json.member("model", device.type)
            json.member("kind", Self.kind(device))
            json.member("identity", found?.identity)
            json.member("location", device.location)
            if Self.kind(device) == "http" { json.member("address", device.location) }
            json.member("state", device.state)
            json.member("facts", device.facts)
            json.array("channels", channels) { $0.add($1.channel) }
            json.member(
                "intervalSeconds",
                device.intervalSeconds ?? channels.first?.intervalSeconds
            )
            json.member("hasFixedInterval", device.hasFixedInterval ?? true)
            json.member("records", device.records ?? true)
            // Found and added devices can be changed here; those of a configuration file, there.
            json.member("isFromFile", device.origin.map { $0 == "file" } ?? (found == nil))
            json.member("origin", device.origin)
            json.array("mutes", device.mutes) { json, mute in
                json.object { json in
                    json.member("target", mute.target)
                    json.member("until", mute.endTime)
                    json.member("endsInSeconds", mute.endsInSeconds)
                }
            }
        }
    }

    private static func kind(_ device: DeviceReport) -> String {
        switch device.type {
        case "pir", "button", "led": "gpio"
        case "traffic-light": "light"
        default: device.location.hasPrefix("http") ? "http" : "serial"
        }
    }

    private func write(_ found: FoundReport, _ json: inout JSONTextBuilder) {
        json.object { json in
            json.member("identity", found.identity)
            json.member("state", found.state)
            json.member("why", found.why)
            json.member("name", found.name)
            json.member("profile", found.profile)
            json.member("node", found.node)
            json.member("usb", found.usb)
        }
    }
}

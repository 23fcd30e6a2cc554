import ArgumentParser
import ClientSupport
import ControlProtocol
import FoundationEssentials
import Glibc

/// Says where a simulated part can be opened.
struct ReadyLine: Encodable {
    let path: String
    let link: String?

    func show(asJSON json: Bool) {
        if json, let line = try? ControlCodec.line(self) {
            Output.line(line)
        } else {
            Output.line("ready \(link ?? path)")
        }
    }
}

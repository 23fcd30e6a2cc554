import ArgumentParser
import ControlProtocol

/// The lines of a part on the header, and what it shows there.
struct PinOptions: ParsableArguments {
    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Option(help: "The line of its pin, as GPIO17.")
    var line: String?

    @Option(help: "The lines of a traffic light: red, yellow, green, as GPIO9,GPIO10,GPIO11.")
    var lines: String?

    @Option(help: "What an LED shows: station, motion, level or camera.")
    var shows: String?

    @Option(help: "The device whose air or motion a lamp shows; empty for any.")
    var follows: String?

    @Option(help: "Whether a button held for 15 s gives the station away (image).")
    var resets: Switch?

    var isEmpty: Bool {
        line == nil && lines == nil && shows == nil && follows == nil && resets == nil
    }

    func add(to question: inout ConfigureDevice) {
        question.line = line
        question.lines = lines?.split(separator: ",").map(String.init)
        (question.shows, question.follows) = (shows, follows)
        question.resets = resets.map { $0 == .on }
    }
}

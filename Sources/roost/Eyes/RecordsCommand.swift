import ArgumentParser
import Camera
import ClientSupport
import ControlProtocol
import Eyes
import HardwareIO

struct RecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "The pictures that roost-eyes took of motions: lists, gets and deletes them.",
        discussion: """
            Examples: roost records
                      roost records list --json
                      roost records get 12
                      roost records delete 12
                      roost records delete --all
                      roost records export front-door
            """,
        subcommands: [List.self, Get.self, Delete.self, RecordsExportCommand.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists them, newest first.")
        @OptionGroup var options: RingOptions

        @Flag(help: "Print a JSON object a line instead of words.")
        var json = false

        func run() throws {
            let records = try options.open().records
            for record in records {
                Output.line(json ? try PictureReport(record).line : PictureReport(record).text)
            }
            if records.isEmpty, !json { Output.line("no pictures yet") }
        }
    }

    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Writes one into a file.")
        @OptionGroup var options: RingOptions

        @Argument(help: "Its number.")
        var number: UInt64

        @Option(help: "The file; - is standard output; else the picture's own name.")
        var output: String?

        @Flag(help: "Print a JSON object instead of the file's name.")
        var json = false

        func run() throws {
            let ring = try options.open()
            guard let record = ring.records.first(where: { $0.number == number }) else {
                throw RecordsCommand.absent(number)
            }
            let picture: [UInt8]?
            do { picture = try ring.picture(record) } catch { throw options.failure(error) }
            guard let picture else {
                let message = "picture \(number) is damaged on the card, or was just deleted"
                throw ClientFailure(message: message, exitCode: 1)
            }
            if output == "-" { return try FileBytes.write(picture, to: 1, "-") }
            let path = output ?? record.name
            try FileBytes.put(picture, path, isNew: true)
            Output.line(json ? try PictureReport(record).line : path)
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes one or all: their bytes are written over.",
            discussion: """
                roost-eyes does it, at the request of members of the group roost. Where it does \
                not run, this command does it, which needs sudo.
                """
        )
        @OptionGroup var options: RingOptions

        @Option(help: "The socket of roost-eyes.")
        var socket = StandardSocket.camera

        @Argument(help: "The number of the picture.")
        var number: UInt64?

        @Flag(help: "All of them.")
        var all = false

        @Flag(help: "Print JSON instead of words.")
        var json = false

        func validate() throws {
            guard (number == nil) == all else {
                throw ValidationError("name the number of one picture, or --all")
            }
        }

        func run() throws {
            let count = try bySocket() ?? byHand()
            if let number, count == 0 { throw RecordsCommand.absent(number) }
            let report = DeletedPictures(count: count)
            Output.line(json ? try ControlCodec.line(report) : "\(count) deleted")
        }

        /// Asks `roost-eyes` to delete; nil where none runs, and where it has another ring.
        private func bySocket() throws -> Int? {
            let question = DeletePictures(number, upTo: all ? .max : nil, ring: options.ring)
            do {
                return try SocketLine.camera(socket).ask(question)?.count
            } catch let failure as ControlFailure {
                if failure.code == .conflict { return nil }
                throw ClientFailure(message: failure.message, exitCode: 1)
            }
        }

        private func byHand() throws -> Int {
            let number = number
            do {
                return try PictureWriterLock.change(options.ring, shape: nil) {
                    ring throws(StorageError) in
                    var count = 0
                    for record in ring.records where number == nil || record.number == number {
                        if try ring.delete(record.number) { count += 1 }
                    }
                    return count
                }
            } catch { throw options.failure(error) }
        }
    }

    static func absent(_ number: UInt64) -> ClientFailure {
        let message = "no picture has the number \(number); `roost records` lists them"
        return ClientFailure(message: message, exitCode: 1)
    }
}

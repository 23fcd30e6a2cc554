import ControlProtocol
import HTTPTypes
import SQLite

/// One setting of the page, of this account.
enum Preference: Hashable, Codable, Sendable {
    case text(String)
    case number(Double)
    case choice(Bool)
    case nothing

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .nothing
        } else if let choice = try? container.decode(Bool.self) {
            self = .choice(choice)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    var isPlain: Bool {
        if case .text(let text) = self { NewPerson.isPlain(text) } else { true }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .choice(let choice): try container.encode(choice)
        case .nothing: try container.encodeNil()
        }
    }
}

extension Preference: SchemaRecorder.SchemaGiven {
    static let schema = JSONSchema.any([.truth, .number, .text])
    static let sample = Preference.nothing
}

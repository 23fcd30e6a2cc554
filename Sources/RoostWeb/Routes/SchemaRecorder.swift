import ControlProtocol
import Core
import FoundationEssentials
import StoreQueries

/// Makes schemas of types: it runs their `init(from:)` and records what they read.
///
/// So a key cannot be in an answer and missing in its schema. Types that read a key only if another
/// one is there have to give their schema themselves (`SchemaGiven`).
final class SchemaRecorder {
    /// A type whose coding is written by hand.
    protocol SchemaGiven {
        static var schema: JSONSchema { get }
        static var sample: Self { get }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    typealias Recorded = (schema: JSONSchema, sample: Any)

    /// Schemas of the structures, by name.
    private(set) var components: [String: JSONSchema] = [:]
    private var types: [String: Any.Type] = [:]
    /// Structures that are being read: one that holds itself ends there.
    private var open: Set<String> = []

    /// Returns the schema of a type; its structures are added to `components`.
    ///
    /// - Throws: `Failure` for a type that accepts no made-up value.
    func schema(of type: any Decodable.Type) throws -> JSONSchema { try record(type).schema }

    /// Returns the names of a structure's fields; nil for a type that is no structure.
    ///
    /// - Throws: `Failure`.
    func fields(of type: any Decodable.Type) throws -> Set<String>? {
        guard case .reference(let name) = try schema(of: type),
            case .object(let members)? = components[name]
        else { return nil }
        return Set(members.keys)
    }

    /// Whether a value of this schema has a field that cannot be absent.
    func demands(_ schema: JSONSchema) -> Bool {
        guard case .reference(let name) = schema, case .object(let members)? = components[name]
        else { return false }
        return members.values.contains(where: \.isRequired)
    }

    /// Returns the schema of a type, and a made-up value of it.
    func record(_ type: any Decodable.Type) throws -> Recorded {
        if let scalar = Self.scalars[ObjectIdentifier(type)] { return scalar() }
        if let type = type as? any SchemaGiven.Type { return Self.given(type) }
        if let type = type as? any (CaseIterable & RawRepresentable).Type,
            let names = Self.names(of: type)
        {
            return names
        }
        if let type = type as? any SchemaBox.Type { return try box(type) }
        return try structure(type)
    }

    private static let scalars: [ObjectIdentifier: @Sendable () -> Recorded] = [
        ObjectIdentifier(Bool.self): { (.truth, false) },
        ObjectIdentifier(Int.self): { (.integer, 0) },
        ObjectIdentifier(Int32.self): { (.integer, Int32(0)) },
        ObjectIdentifier(Int64.self): { (.integer, Int64(0)) },
        ObjectIdentifier(UInt8.self): { (.integer, UInt8(0)) },
        ObjectIdentifier(UInt16.self): { (.integer, UInt16(0)) },
        ObjectIdentifier(UInt32.self): { (.integer, UInt32(0)) },
        ObjectIdentifier(UInt64.self): { (.integer, UInt64(0)) },
        ObjectIdentifier(Float.self): { (.number, Float(0)) },
        ObjectIdentifier(Double.self): { (.number, 0.0) },
        ObjectIdentifier(String.self): { (.text, "") },
        ObjectIdentifier(Data.self): { (.text, Data()) },
    ]

    private static func given<Given: SchemaGiven>(_ type: Given.Type) -> Recorded {
        (type.schema, type.sample)
    }

    /// The cases of an enumeration of texts.
    private static func names<Names: CaseIterable & RawRepresentable>(
        of type: Names.Type
    ) -> Recorded? {
        let texts = type.allCases.compactMap { $0.rawValue as? String }
        guard let first = type.allCases.first, !texts.isEmpty else { return nil }
        return (.names(texts), first)
    }

    private func box<Box: SchemaBox>(_ type: Box.Type) throws -> Recorded {
        let content = type.content
        let name = Self.name(of: content)
        guard !open.contains(name) else { return (type.schema(.reference(name)), type.empty) }
        return (type.schema(try record(content).schema), type.empty)
    }

    private func structure(_ type: any Decodable.Type) throws -> Recorded {
        let name = Self.name(of: type)
        guard open.insert(name).inserted else {
            throw Failure(description: "\(name) holds itself, and no list of it")
        }
        defer { open.remove(name) }
        if let known = types[name], known != type {
            throw Failure(description: "two types have the name \(name)")
        }
        types[name] = type
        let decoder = RecordingDecoder(self, name: name)
        let sample: any Decodable
        do { sample = try type.init(from: decoder) } catch let error as DecodingError {
            throw Failure(description: "\(name): \(error)")
        }
        if let single = decoder.single { return (single, sample) }
        components[name] = .object(decoder.members)
        return (.reference(name), sample)
    }

    /// `AlertsReportRule` of `ControlProtocol.AlertsReport.Rule`, `ItemListMemberView` of
    /// `RoostWeb.ItemList<RoostWeb.MemberView>`.
    ///
    /// A private type has `(unknown context at $…)` before its name, another one in each build.
    private static func name(of type: Any.Type) -> String {
        String(reflecting: type).split { $0 == "<" || $0 == ">" || $0 == "," }
            .map { part in
                part.split(separator: ".").dropFirst().filter { !$0.hasPrefix("(") }.joined()
            }
            .joined().filter { $0.isLetter || $0.isNumber }
    }
}

extension Details: SchemaRecorder.SchemaGiven {
    static var schema: JSONSchema { .map(.any([.truth, .number, .text, .list(.text)])) }
    static var sample: Details { Details() }
}

extension ChannelLedgerReport.Stretch: SchemaRecorder.SchemaGiven {
    static var schema: JSONSchema {
        .list(.any([.number, .names(GapCause.allCases.map(\.rawValue))]))
    }
    static var sample: Self { Self(from: 0, to: 0, cause: .unexplained) }
}

/// A type that holds values of another one.
private protocol SchemaBox {
    static var content: any Decodable.Type { get }
    static var empty: Self { get }
    static func schema(_ content: JSONSchema) -> JSONSchema
}

extension Array: SchemaBox where Element: Decodable {
    static var content: any Decodable.Type { Element.self }
    static var empty: Self { [] }
    static func schema(_ content: JSONSchema) -> JSONSchema { .list(content) }
}

extension Dictionary: SchemaBox where Key == String, Value: Decodable {
    static var content: any Decodable.Type { Value.self }
    static var empty: Self { [:] }
    static func schema(_ content: JSONSchema) -> JSONSchema { .map(content) }
}

extension Optional: SchemaBox where Wrapped: Decodable {
    static var content: any Decodable.Type { Wrapped.self }
    static var empty: Self { nil }
    static func schema(_ content: JSONSchema) -> JSONSchema { .orNull(content) }
}

extension OrNull: SchemaBox {
    static var content: any Decodable.Type { Value.self }
    static var empty: Self { Self(wrappedValue: nil) }
    static func schema(_ content: JSONSchema) -> JSONSchema { .orNull(content) }
}

/// A value that is written as `null` where there is none: its key is always there.
@propertyWrapper struct OrNull<Value: Codable & Sendable>: Codable, Sendable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}

/// Gives a type made-up values and records their keys.
private final class RecordingDecoder: Decoder {
    let recorder: SchemaRecorder
    let name: String
    /// Keys that were read.
    var members: [String: JSONSchema.Member] = [:]
    /// The schema of a type that is written as one value.
    var single: JSONSchema?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ recorder: SchemaRecorder, name: String) {
        (self.recorder, self.name) = (recorder, name)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    var unsupported: SchemaRecorder.Failure {
        SchemaRecorder.Failure(description: "\(name) is read in a way that gives no schema")
    }

    func value<Value: Decodable>(_ type: Value.Type) throws -> (JSONSchema, Value) {
        let recorded = try recorder.record(type)
        guard let sample = recorded.sample as? Value else { throw unsupported }
        return (recorded.schema, sample)
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: RecordingDecoder

        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }

        /// Only asked for a value that may be absent.
        func decodeNil(forKey key: Key) -> Bool {
            let unknown = JSONSchema.Member(schema: .text, isRequired: false)
            decoder.members[key.stringValue] = unknown
            return false
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let (schema, sample) = try decoder.value(type)
            let isRequired = decoder.members[key.stringValue] == nil
            decoder.members[key.stringValue] = JSONSchema.Member(
                schema: schema,
                isRequired: isRequired
            )
            return sample
        }

        func nestedContainer<Other: CodingKey>(
            keyedBy type: Other.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Other> { throw decoder.unsupported }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw decoder.unsupported
        }

        func superDecoder() throws -> any Decoder { throw decoder.unsupported }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw decoder.unsupported }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: RecordingDecoder

        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let (schema, sample) = try decoder.value(type)
            decoder.single = schema
            return sample
        }
    }
}

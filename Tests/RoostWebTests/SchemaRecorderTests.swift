import FoundationEssentials
import Testing

@testable import RoostWeb

@Suite struct SchemaRecorderTests {
    enum Kind: String, Codable, CaseIterable { case dust, gas }

    struct Tree: Codable, Sendable {
        let name: String
        let kind: Kind
        let age: Double?
        @OrNull var width: Int?
        let columns: [Double?]
        let children: [Tree]
        let byName: [String: Bool]
    }

    @Test func aSchemaHasTheKeysOfItsType() throws {
        let recorder = SchemaRecorder()
        let name = "SchemaRecorderTestsTree"
        #expect(try recorder.schema(of: Tree.self) == .reference(name))
        let members: [String: JSONSchema.Member] = [
            "name": .init(schema: .text, isRequired: true),
            "kind": .init(schema: .names(["dust", "gas"]), isRequired: true),
            "age": .init(schema: .number, isRequired: false),
            "width": .init(schema: .orNull(.integer), isRequired: true),
            "columns": .init(schema: .list(.orNull(.number)), isRequired: true),
            "children": .init(schema: .list(.reference(name)), isRequired: true),
            "byName": .init(schema: .map(.truth), isRequired: true),
        ]
        #expect(recorder.components == [name: .object(members)])
    }

    private struct Leaf: Codable { let width: Int }

    /// What Swift calls the context of a private type is another text in each build.
    @Test func aPrivateTypeHasAPlainName() throws {
        let schema = try SchemaRecorder().schema(of: Leaf.self)
        #expect(schema == .reference("SchemaRecorderTestsLeaf"))
    }

    /// A list has the name of what it holds; modules are in no name.
    @Test func aGenericTypeHasTheNamesOfItsParts() throws {
        let recorder = SchemaRecorder()
        let schema = try recorder.schema(of: ItemList<Tree>.self)
        #expect(schema == .reference("ItemListSchemaRecorderTestsTree"))
    }

    /// Generators for Java, Go or C# make a number of 32 bits of one without a format.
    @Test(arguments: [
        (JSONSchema.integer, #"{"format":"int64","type":"integer"}"#),
        (.number, #"{"format":"double","type":"number"}"#),
        (.list(.text, atMost: 4), #"{"items":{"type":"string"},"maxItems":4,"type":"array"}"#),
        (.orNull(.truth), #"{"anyOf":[{"type":"boolean"},{"type":"null"}]}"#),
    ])
    func aSchemaIsWritten(schema: JSONSchema, wanted: String) throws {
        #expect(String(decoding: try JSONBody.encoded(schema), as: UTF8.self) == wanted)
    }

    /// The key stays where there is no value.
    @Test func aValueOrNullKeepsItsKey() throws {
        let tree = Tree(
            name: "a",
            kind: .gas,
            age: nil,
            width: nil,
            columns: [nil],
            children: [],
            byName: [:]
        )
        let text = String(decoding: try JSONBody.encoded(tree), as: UTF8.self)
        let wanted =
            #"{"byName":{},"children":[],"columns":[null],"kind":"gas","name":"a","width":null}"#
        #expect(text == wanted)
        #expect(try JSONBody.decoded(Tree.self, from: Array(text.utf8)).width == nil)
    }

    /// Its coding is written by hand: no schema can be made of what is read one after another.
    struct Row: Decodable {
        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            _ = try values.decode(Int.self)
        }
    }

    @Test func aTypeThatGivesNoSchemaIsRefused() {
        #expect(throws: SchemaRecorder.Failure.self) {
            try SchemaRecorder().schema(of: Row.self)
        }
    }
}

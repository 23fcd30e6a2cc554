import Testing

@testable import RoostWeb

@Suite struct ScriptLineTests {
    @Test(arguments: [
        ("const a = { b: 1, c: [2, 3] };", "const a={b:1,c:[2,3]};"),
        ("if (a && !b) return c;", "if(a&&!b)return c;"),
        ("a = b + +c - -d + e++ + f;", "a=b+ +c- -d+e++ +f;"),
        ("for (const a of b) c in d;", "for(const a of b)c in d;"),
        ("return \"a , b\" + ' = ';", "return\"a , b\"+' = ';"),
        (#"x = "a \" , b" , y"#, #"x="a \" , b",y"#),
        (#"a = b.replace(/ , [/ ]\/ /g, " ");"#, #"a=b.replace(/ , [/ ]\/ /g," ");"#),
        ("return / a /.test(b);", "return/ a /.test(b);"),
        ("a = (b) / c / d;", "a=(b)/c/d;"),
        ("a = ` ${b ? ` · ${ c } ` : 1 } , ${ {d: 1} }`;", "a=` ${b?` · ${c} `:1} , ${{d:1}}`;"),
        ("`\\` , ${ a + b } `", "`\\` , ${a+b} `"),
        ("async *#a ( ) { }", "async*#a(){}"),
        ("a ? .5 : b?.c", "a?.5:b?.c"),
    ])
    func leavesOutSpacesOfCodeAlone(line: String, wanted: String) {
        #expect(ScriptLine(line).text == wanted)
    }
}

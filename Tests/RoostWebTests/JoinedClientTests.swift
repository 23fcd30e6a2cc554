import Testing

@testable import RoostWeb

@Suite struct JoinedClientTests {
    private static let small = [
        "js/main.js": """
        // Starts it.
        import { t, twice } from "./text.js";

        /** Opens a page. */
        export async function open() { return (await import("./pages/now.js")).title + twice(t); }
        export async function more() { return import("./pages/dose.js"); }
        """,
        "js/text.js": "export const t = 1;\nexport function twice(n) {\n  return 2 * n;\n}\n",
        "js/pages/now.js": "import { t } from \"../text.js\";\nexport const title = `${t}`;\n",
        "js/pages/dose.js": "import { twice } from \"../text.js\";\nexport const n = twice(1);\n",
        "js/unused.js": "export const never = 1;\n",
        "css/pages.css": "/* Now */\n  .now { color: red; }\n",
        "css/tokens.css": ":root { --a: 1; }\n", "css/more.css": "b { color: blue; }\n",
    ]

    /// Modules that run at the start are global, so that no page has to import them again.
    @Test func wrapsEveryModuleThatIsNeeded() throws {
        let script = try JoinedClient(Self.small).script
        #expect(
            script == """
                const $made={};
                const $take=(name)=>$made[name]??=$modules[name]();
                let $tries=0,$later;
                const $more=()=>$later??=import(`./later.js?${$tries++}`).then(({modules})=>\
                Object.assign($modules,modules({t,twice},$take,$load)),\
                (problem)=>{$later=null;throw problem;});
                const $load=async(name)=>{if(!$modules[name])await $more();return $take(name);};
                const $modules={
                "js/pages/now.js":()=>{
                const title=`${t}`;return{title};
                },
                };
                const{t,twice}=(()=>{
                const t=1;function twice(n){return 2*n;}
                return{t,twice};
                })();
                (()=>{
                async function open(){return(await $load("js/pages/now.js")).title+twice(t);}
                async function more(){return $load("js/pages/dose.js");}
                })();

                """
        )
    }

    /// A page beyond the navigation bar is in the second file, which knows the names that it uses.
    @Test func keepsOtherPagesForLater() throws {
        let later = try JoinedClient(Self.small).later
        #expect(
            later == """
                export const modules=({t,twice},$take,$load)=>({
                "js/pages/dose.js":()=>{
                const n=twice(1);return{n};
                },
                });

                """
        )
    }

    @Test func twoNamesOfTheStartAreRefused() {
        #expect(throws: JoinedClientError.self) {
            try JoinedClient([
                "js/main.js": "import { a } from \"./a.js\";\nimport { b } from \"./b.js\";\n",
                "js/a.js": "export const a = 1;\nexport const c = 1;\n",
                "js/b.js": "export const b = 1;\nexport const c = 1;\n",
            ])
        }
    }

    @Test func keepsTheOrderOfTheSheets() throws {
        let sheet = try JoinedClient(Self.small).sheet
        #expect(sheet == ":root{--a:1}\n.now{color:red}\nb{color:blue}\n")
    }

    @Test(arguments: [
        "import \"./text.js\";", "import * as all from \"./text.js\";",
        "import { t as u } from \"./text.js\";",
        "import { t } from './text.js';", "export let now = 1;", "export default 1;",
        "export { a };", "const a = `1\n2`;", "export const { a } = b;",
    ])
    func refusesOtherForms(line: String) {
        #expect(throws: JoinedClientError.self) {
            try JoinedClient(["js/main.js": line + "\n", "js/text.js": ""])
        }
    }

    @Test func namesCirclesAndMissingModules() {
        let circle = [
            "js/main.js": "import { a } from \"./a.js\";\n",
            "js/a.js": "import { b } from \"./main.js\";\n",
        ]
        #expect(throws: JoinedClientError.circle(["js/a.js", "js/main.js", "js/a.js"])) {
            try JoinedClient(circle)
        }
        #expect(throws: JoinedClientError.noModule("js/a.js")) {
            try JoinedClient(["js/main.js": "import { a } from \"./a.js\";\n"])
        }
        #expect(throws: JoinedClientError.noName("b", of: "js/a.js", in: "js/main.js")) {
            try JoinedClient([
                "js/main.js": "import { a, b } from \"./a.js\";\n",
                "js/a.js": "export const a = 1;\n",
            ])
        }
    }

    @Test func joinsTheRealClient() throws {
        let parts = #filePath.split(separator: "/").dropLast(3)
        let folder = "/" + parts.joined(separator: "/") + "/Sources/RoostWeb/www"
        let files = try StaticFiles(folder: folder)
        let (script, later) = (
            String(decoding: files.content(of: JoinedClient.scriptName) ?? [], as: UTF8.self),
            String(decoding: files.content(of: JoinedClient.laterName) ?? [], as: UTF8.self)
        )
        for page in StaticFiles.pages.dropFirst() {
            let module = "\"js/pages\(page).js\":()=>{"
            #expect(script.contains(module) != later.contains(module), "\(page)")
        }
        #expect(!script.contains("import {") && !script.contains("export "))
        #expect(script.contains("js/pages/history.js\":"))
        #expect(later.contains("js/pages/alerts.js\":"))
        #expect(later.contains("js/pages/entryform.js\":"))
    }
}

/// What a phone needs to know to install the dashboard as an app.
struct Manifest {
    let name: String
    /// Of the client's files.
    let hash: String

    var json: String {
        var json = JSONText()
        json.object { json in
            json.member("name", name)
            json.member("short_name", name)
            json.member("start_url", "/")
            json.member("display", "standalone")
            json.member("background_color", "#FBFBFA")
            json.member("theme_color", "#0B57A4")
            json.array("icons", ["icon.svg"]) { json, icon in
                json.object { json in
                    json.member("src", "/a/\(hash)/\(icon)")
                    json.member("sizes", "any")
                    json.member("type", "image/svg+xml")
                }
            }
        }
        return json.text
    }
}

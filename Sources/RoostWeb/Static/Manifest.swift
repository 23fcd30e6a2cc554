/// The web app manifest, by which a phone installs the dashboard as an app.
struct Manifest {
    let name: String
    /// Hash of the client's files.
    let hash: String

    var json: String {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("name", name)
            json.member("short_name", name)
            json.member("id", "/")
            json.member("start_url", "/")
            json.member("display", "standalone")
            json.member("background_color", "#FBFBFA")
            json.member("theme_color", "#0B57A4")
            let icons = [
                ("icon.svg", "any", "image/svg+xml"), ("icon-192.png", "192x192", "image/png"),
                ("icon-512.png", "512x512", "image/png"),
            ]
            json.array("icons", icons) { json, icon in
                json.object { json in
                    json.member("src", "/a/\(hash)/\(icon.0)")
                    json.member("sizes", icon.1)
                    json.member("type", icon.2)
                }
            }
            json.array("shortcuts", [("Now", "/"), ("History", "/history")]) { json, place in
                json.object { json in
                    json.member("name", place.0)
                    json.member("url", place.1)
                }
            }
        }
        return json.text
    }
}

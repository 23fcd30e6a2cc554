import Profiles
import RoostCourier
import Synchronization

/// Simulated bot interface of Telegram: one bot, one chat.
///
/// - Source: core.telegram.org/bots/api, *Making requests*, `sendMessage`, `ResponseParameters`.
final class TelegramServer: SimulatedServer {
    private struct State {
        var texts: [String] = []
        var photos: [[UInt8]] = []
        var isBlocked = false
        var refusalsLeft = 0
    }

    private let token: String
    private let chat: String
    private let state = Mutex(State())

    init(token: String, chat: String) { (self.token, self.chat) = (token, chat) }

    var texts: [String] { state.withLock { $0.texts } }

    /// Bodies of forms with a photo, oldest first.
    var photos: [[UInt8]] { state.withLock { $0.photos } }

    /// Sets whether the person has blocked the bot.
    func setBlocked(_ isBlocked: Bool) { state.withLock { $0.isBlocked = isBlocked } }

    /// Refuses the next messages because they come too fast.
    func refuse(_ count: Int) { state.withLock { $0.refusalsLeft = count } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        if request.path == "/bot\(token)/sendPhoto" {
            let form = String(decoding: request.body, as: UTF8.self)
            let isForm = request.field("content-type")?.hasPrefix("multipart/form-data") == true
            guard isForm, form.contains("name=\"chat_id\"\r\n\r\n\(chat)\r\n"),
                form.contains("name=\"photo\"; filename=")
            else { return Self.error(400, "Bad Request: there is no photo in the request") }
            state.withLock { $0.photos.append(request.body) }
            return OutboundAnswer(200, text: #"{"ok":true,"result":{"message_id":8}}"#)
        }
        guard request.path == "/bot\(token)/sendMessage" else {
            return Self.error(401, "Unauthorized")
        }
        guard let json = request.json, case .string(let text)? = json["text"],
            json["chat_id"] == .string(chat)
        else { return Self.error(400, "Bad Request: chat not found") }
        guard text.unicodeScalars.count <= 4_096, !text.isEmpty else {
            return Self.error(400, "Bad Request: message is too long")
        }
        return state.withLock { state in
            if state.isBlocked {
                return Self.error(403, "Forbidden: bot was blocked by the user")
            }
            if state.refusalsLeft > 0 {
                state.refusalsLeft -= 1
                let words = "Too Many Requests: retry after 17"
                return Self.error(429, words, #","parameters":{"retry_after":17}"#)
            }
            state.texts.append(text)
            return OutboundAnswer(200, text: #"{"ok":true,"result":{"message_id":7}}"#)
        }
    }

    private static func error(
        _ status: Int,
        _ words: String,
        _ more: String = ""
    ) -> OutboundAnswer {
        let description = WireJSON.string(words)
        let text = "{\"ok\":false,\"error_code\":\(status),\"description\":\(description)\(more)}"
        return OutboundAnswer(status, text: text)
    }
}

package dev.ash.e2e.model;

import java.util.Optional;
import java.util.regex.Pattern;

/** The provider APIs that the scripted model serves, by path. */
final class ModelWires {
    static final ModelWire MESSAGES = new MessagesWire();
    static final ModelWire RESPONSES = new ResponsesWire();
    static final ModelWire CHAT = new ChatWire();
    static final ModelWire GEMINI = new GeminiWire();

    private static final Pattern GENERATE =
            Pattern.compile("/v1beta/models/[^/:]+:(streamG|g)enerateContent(\\?.*)?");

    /** Returns the API of a request; empty if the request is no model call. */
    static Optional<ModelWire> of(String method, String path) {
        if (!method.equals("POST")) {
            return Optional.empty();
        }
        if (path.startsWith("/v1/messages")) {
            return Optional.of(MESSAGES);
        }
        if (path.equals("/v1/responses")) {
            return Optional.of(RESPONSES);
        }
        if (path.equals("/v1/chat/completions")) {
            return Optional.of(CHAT);
        }
        return GENERATE.matcher(path).matches() ? Optional.of(GEMINI) : Optional.empty();
    }

    private ModelWires() {}
}

package dev.ash.server.credential;

import dev.ash.protocol.ApiException;
import java.util.Locale;

/** The model provider of a credential. */
public enum CredentialType {
    ANTHROPIC,
    OPENAI;

    static CredentialType of(String wire) {
        for (var type : values()) {
            if (type.wire().equals(wire)) {
                return type;
            }
        }
        throw ApiException.invalid("type", "must be anthropic or openai");
    }

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}

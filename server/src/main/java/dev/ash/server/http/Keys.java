package dev.ash.server.http;

import java.util.Optional;

/** Knows the API keys. */
@FunctionalInterface
public interface Keys {
    Optional<Caller> caller(String presentedKey);
}

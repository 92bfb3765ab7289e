package dev.ash.server.gateway;

import java.io.IOException;
import java.util.Optional;

/** Persists the address of the gateway across restarts of the server. */
public interface AddressSetting {
    /**
     * Saves the address. Returns the reason if the next start of the server will not use it. An
     * empty port keeps the saved one.
     */
    Optional<String> save(String host, Optional<Integer> port) throws IOException;
}

package dev.ash.server.gateway;

import java.io.IOException;
import java.util.Optional;

/** Keeps the address of the gateway over restarts of the server. */
public interface AddressSetting {
    /** Returns why the next server does not use it, if that is so; no port: the one of before. */
    Optional<String> keep(String host, Optional<Integer> port) throws IOException;
}

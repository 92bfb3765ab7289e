package dev.ash.server.egress;

import java.io.IOException;
import java.util.Optional;

/** Tools of the server itself that one sandbox may call, by MCP over HTTP. */
public interface LocalTools {
    /** The response; {@code undelivered} runs if it could not be sent. */
    record Answer(int status, String session, Optional<byte[]> body, Runnable undelivered) {}

    /** Blocks until the call has a result. */
    Answer post(Optional<String> session, byte[] body) throws IOException;
}

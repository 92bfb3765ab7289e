package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;

/**
 * An open event stream. Each call is one write to the socket and blocks until the client's side has
 * taken it; it fails once the client is gone, or has read nothing for the stalled-reader time. Any
 * thread may call; frames never mix.
 */
public interface SseStream {
    void frame(String event, RawJson data) throws IOException;

    void frame(String event, RawJson data, long id) throws IOException;

    /** Sends these together, if there are any, and leaves the argument empty for the next ones. */
    void send(SseFrames frames) throws IOException;

    /** A line that clients skip: it keeps proxies awake and shows whether the client is there. */
    void comment(String text) throws IOException;
}

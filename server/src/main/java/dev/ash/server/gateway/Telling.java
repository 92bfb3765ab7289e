package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frames that tell one event. Each gets an id that is the same whenever the event is told
 * again, so that a device knows what it has had before. Those of a stream have none: which of them
 * tell an event depends on what was told in pieces before, and a message has its own id.
 */
final class Telling {
    private final String prefix;
    private final List<Told> told = new ArrayList<>();
    private int numbered;

    /** {@code prefix} is empty for what is in no log and is never told again. */
    Telling(String prefix) {
        this.prefix = prefix;
    }

    void add(GatewayFrame frame) {
        add(frame, null, null);
    }

    void stream(GatewayFrame frame) {
        told.add(new Told(frame, null, null));
    }

    void only(Capability capability, GatewayFrame frame) {
        add(frame, capability, null);
    }

    void unless(Capability capability, GatewayFrame frame) {
        add(frame, null, capability);
    }

    private void add(GatewayFrame frame, @Nullable Capability only, @Nullable Capability unless) {
        boolean named = frame.id() != null || prefix.isEmpty();
        told.add(new Told(named ? frame : frame.withId(nextId()), only, unless));
        numbered++;
    }

    /** The id that the next frame gets; only for events that are in the log. */
    String nextId() {
        return prefix + "." + numbered;
    }

    List<Told> told() {
        return told;
    }
}

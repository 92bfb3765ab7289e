package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the frames of one event. Each gets an id that is the same on every replay, so that a
 * device can ignore what it has received before. Frames of a stream have none: which of them an
 * event has depends on the parts that were sent before, and a message has its own id.
 */
final class FrameCollector {
    private final String prefix;
    private final List<TargetedFrame> collected = new ArrayList<>();
    private int numbered;

    /** {@code prefix} is empty for frames that are in no log and are never replayed. */
    FrameCollector(String prefix) {
        this.prefix = prefix;
    }

    void add(GatewayFrame frame) {
        add(frame, null, null);
    }

    void stream(GatewayFrame frame) {
        collected.add(new TargetedFrame(frame, null, null));
    }

    void only(Capability capability, GatewayFrame frame) {
        add(frame, capability, null);
    }

    void unless(Capability capability, GatewayFrame frame) {
        add(frame, null, capability);
    }

    private void add(GatewayFrame frame, @Nullable Capability only, @Nullable Capability unless) {
        boolean named = frame.id() != null || prefix.isEmpty();
        collected.add(new TargetedFrame(named ? frame : frame.withId(nextId()), only, unless));
        numbered++;
    }

    /** The id of the next frame; only for events in the log. */
    String nextId() {
        return prefix + "." + numbered;
    }

    List<TargetedFrame> collected() {
        return collected;
    }
}

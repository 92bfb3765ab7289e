package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the frames of one event. Each gets an id that is the same on every replay, so that a
 * device can ignore frames that it has already received. Frames of a stream have no id, because
 * they differ between replays; they have a message id instead.
 */
final class FrameCollector {
    private final String prefix;
    private final List<TargetedFrame> collected = new ArrayList<>();
    private int count;

    /** {@code prefix} is empty for frames of no logged event, which are never replayed. */
    FrameCollector(String prefix) {
        this.prefix = prefix;
    }

    void add(GatewayFrame frame) {
        add(frame, null, null);
    }

    void addStream(GatewayFrame frame) {
        collected.add(new TargetedFrame(frame, null, null));
    }

    /** Adds a frame for devices with this capability only. */
    void addIf(Capability capability, GatewayFrame frame) {
        add(frame, capability, null);
    }

    /** Adds a frame for devices without this capability only. */
    void addUnless(Capability capability, GatewayFrame frame) {
        add(frame, null, capability);
    }

    private void add(GatewayFrame frame, @Nullable Capability only, @Nullable Capability unless) {
        boolean keepsId = frame.id() != null || prefix.isEmpty();
        collected.add(new TargetedFrame(keepsId ? frame : frame.withId(nextId()), only, unless));
        count++;
    }

    /** Returns the id of the next frame; only for logged events. */
    String nextId() {
        return prefix + "." + count;
    }

    List<TargetedFrame> collected() {
        return collected;
    }
}

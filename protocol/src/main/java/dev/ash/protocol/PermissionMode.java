package dev.ash.protocol;

import java.util.Arrays;
import java.util.Optional;

/** Which tools an engine may use in a session without asking a person. */
public enum PermissionMode {
    /** All tools, except those that the agent's settings deny. */
    BYPASS_PERMISSIONS("bypassPermissions"),
    /** Only tools that the agent's settings allow. */
    PERMISSIONS_BY_AGENT("permissionsByAgent"),
    /** Asks a person. */
    ASK("ask");

    private final String wire;

    PermissionMode(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }

    /** Parses a mode; also accepts {@code default}, the engine's own name for {@link #ASK}. */
    public static PermissionMode ofWire(String wire) {
        return find(wire)
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        "permissionMode",
                                        "must be bypassPermissions, permissionsByAgent or ask"));
    }

    /** Parses a stored value, which another version may have written. */
    public static Optional<PermissionMode> find(String wire) {
        return wire.equals("default")
                ? Optional.of(ASK)
                : Arrays.stream(values()).filter(mode -> mode.wire.equals(wire)).findFirst();
    }
}

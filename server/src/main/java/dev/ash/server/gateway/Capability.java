package dev.ash.server.gateway;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a device can do beyond the published protocol, said in {@code client_capabilities}; nothing
 * of it reaches a device that does not say so.
 */
enum Capability {
    /** Gets a token of its own in exchange for the one that it was shown. */
    DEVICE_TOKEN("device_token_v1"),
    /** May interrupt a turn. */
    INTERRUPT("interrupt_v1"),
    /** May let a session ask for more, or for less. */
    PERMISSION_MODE("permission_mode_v1"),
    /** May approve a tool for a whole session, and is told how approvals ended. */
    APPROVALS("approvals_v1"),
    /** Is asked questions, and to review plans, in messages of their own. */
    QUESTIONS("questions_v1"),
    /** May read back what was said, and is told what others say to the agent. */
    HISTORY("history_v1"),
    /** Is told what a turn has cost. */
    USAGE("usage_v1"),
    /** May send images and documents with a message. */
    ATTACHMENTS("attachments_v1"),
    /** Is told its scopes, and when its token expires. */
    SCOPES("scopes_v1");

    private final String wire;

    Capability(String wire) {
        this.wire = wire;
    }

    String wire() {
        return wire;
    }

    /** Those that we know of. */
    static Set<Capability> of(Collection<String> names) {
        var known = EnumSet.noneOf(Capability.class);
        for (var each : values()) {
            if (names.contains(each.wire)) {
                known.add(each);
            }
        }
        return known;
    }
}

package dev.ash.server.gateway;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/**
 * Extensions of the published protocol. A device declares those that it supports in {@code
 * client_capabilities}; without that, none of their messages are sent to it or accepted from it.
 */
enum Capability {
    /** Receives a device token in exchange for the pairing token. */
    DEVICE_TOKEN("device_token_v1"),
    /** Can interrupt a turn. */
    INTERRUPT("interrupt_v1"),
    /** Can change the permission mode of a session. */
    PERMISSION_MODE("permission_mode_v1"),
    /** Can approve a tool for a whole session, and receives the outcomes of approvals. */
    APPROVALS("approvals_v1"),
    /** Receives questions and plan reviews as separate message types. */
    QUESTIONS("questions_v1"),
    /** Can read the history of a session, and receives prompts of other clients. */
    HISTORY("history_v1"),
    /** Receives the cost and token usage of each turn. */
    USAGE("usage_v1"),
    /** Can send images and documents with a message. */
    ATTACHMENTS("attachments_v1"),
    /** Receives its scopes and the expiry of its token. */
    SCOPES("scopes_v1");

    private final String wire;

    Capability(String wire) {
        this.wire = wire;
    }

    String wire() {
        return wire;
    }

    /** Returns the capabilities with these names, ignoring unknown names. */
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

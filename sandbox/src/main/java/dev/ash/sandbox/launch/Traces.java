package dev.ash.sandbox.launch;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.limits.Group;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/**
 * How the processes of one sandbox are told from all others: by a user that is theirs alone, or by
 * their pid namespace, or, where there is no wall and no user, by a variable that they inherit; and
 * by their control group, where the host has such.
 */
public record Traces(OptionalInt uid, Path info, String variable, Group group) {
    public Traces {
        if (uid.isPresent() && uid.getAsInt() < 1000) {
            // Everything that runs as this user is going to be killed.
            throw new IllegalArgumentException("user " + uid.getAsInt() + " is the system's");
        }
    }

    /** Tells whether the process of a number belongs to the sandbox. */
    LongPredicate matcher() {
        if (uid.isPresent()) {
            return pid -> ProcessTable.runsAs(pid, uid.getAsInt());
        }
        var namespace = number("pid-namespace");
        var first = firstProcess();
        // The numbers may be from before a reboot, and be another's now: so process number one
        // must show that it is ours. Where it is gone, so is all its namespace.
        return namespace.isPresent()
                        && first.isPresent()
                        && ProcessTable.isInPidNamespace(first.getAsLong(), namespace.getAsLong())
                        && ProcessTable.hasVariable(first.getAsLong(), variable)
                ? pid -> ProcessTable.isInPidNamespace(pid, namespace.getAsLong())
                : pid -> ProcessTable.hasVariable(pid, variable);
    }

    /**
     * Whether there is no need to look at all processes once the group is empty and the process
     * outside has ended. None can leave a group that is another user's or that it does not see; and
     * the kernel lets process number one go only when the rest of its namespace is gone.
     */
    boolean isProvenEmpty() {
        var first = firstProcess();
        var namespace = number("pid-namespace");
        boolean walled = first.isPresent() && namespace.isPresent();
        return (group.exists() && (uid.isPresent() || walled))
                || (walled
                        && !ProcessTable.isInPidNamespace(
                                first.getAsLong(), namespace.getAsLong()));
    }

    /** As {@link #matcher()}, knowing also the session that it was started in. */
    LongPredicate matcher(long session) {
        return uid.isPresent()
                ? matcher()
                : matcher().or(pid -> ProcessTable.isInSession(pid, session));
    }

    /** The sandbox's process number one, as the host counts it, once bubblewrap has told it. */
    OptionalLong firstProcess() {
        return number("child-pid");
    }

    private OptionalLong number(String name) {
        try {
            return JsonObject.parse(new RawJson(Files.readAllBytes(info))).number(name);
        } catch (IOException e) {
            return OptionalLong.empty(); // not there, or not written to its end yet
        }
    }
}

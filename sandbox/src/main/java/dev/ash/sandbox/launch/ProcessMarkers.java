package dev.ash.sandbox.launch;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.limits.ControlGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/**
 * Identifies the processes of one sandbox: by a dedicated uid, by their pid namespace, or, without
 * both, by an inherited variable; and by their control group, if there is one.
 */
public record ProcessMarkers(OptionalInt uid, Path info, String variable, ControlGroup group) {
    public ProcessMarkers {
        if (uid.isPresent() && uid.getAsInt() < 1000) {
            // All processes of this user may be killed.
            throw new IllegalArgumentException("uid " + uid.getAsInt() + " belongs to the system");
        }
    }

    /** Returns a predicate for the pids of the sandbox. */
    LongPredicate matcher() {
        if (uid.isPresent()) {
            return pid -> ProcessTable.runsAs(pid, uid.getAsInt());
        }
        var namespace = number("pid-namespace");
        var first = firstProcess();
        // The ids may be from before a reboot and reused, so verify that pid 1 has our variable.
        // If it is gone, so is its namespace.
        return namespace.isPresent()
                        && first.isPresent()
                        && ProcessTable.isInPidNamespace(first.getAsLong(), namespace.getAsLong())
                        && ProcessTable.hasVariable(first.getAsLong(), variable)
                ? pid -> ProcessTable.isInPidNamespace(pid, namespace.getAsLong())
                : pid -> ProcessTable.hasVariable(pid, variable);
    }

    /**
     * Whether no scan of all processes is needed once the group is empty and the outer process has
     * exited. A process cannot leave a group that belongs to another user or that it does not see,
     * and the kernel releases pid 1 only after the rest of its namespace is gone.
     */
    boolean isProvenEmpty() {
        var first = firstProcess();
        var namespace = number("pid-namespace");
        boolean namespaced = first.isPresent() && namespace.isPresent();
        return (group.exists() && (uid.isPresent() || namespaced))
                || (namespaced
                        && !ProcessTable.isInPidNamespace(
                                first.getAsLong(), namespace.getAsLong()));
    }

    /**
     * Like {@link #matcher()}, but without a dedicated uid also matches the session of the outer
     * process.
     */
    LongPredicate matcher(long session) {
        return uid.isPresent()
                ? matcher()
                : matcher().or(pid -> ProcessTable.isInSession(pid, session));
    }

    /** Returns the host pid of the sandbox's pid 1, once bubblewrap has written it. */
    OptionalLong firstProcess() {
        return number("child-pid");
    }

    private OptionalLong number(String name) {
        try {
            return JsonObject.parse(new RawJson(Files.readAllBytes(info))).number(name);
        } catch (IOException e) {
            return OptionalLong.empty(); // missing or incomplete
        }
    }
}

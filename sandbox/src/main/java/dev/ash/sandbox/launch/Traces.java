package dev.ash.sandbox.launch;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/**
 * How the processes of one sandbox are told from all others: by a user that is theirs alone, or by
 * their pid namespace, or, where there is no wall and no user, by a variable that they inherit.
 */
public record Traces(OptionalInt uid, Path info, String variable) {
    /** Tells whether the process of a number belongs to the sandbox. */
    LongPredicate matcher() {
        if (uid.isPresent()) {
            return pid -> ProcessTable.runsAs(pid, uid.getAsInt());
        }
        var namespace = number("pid-namespace");
        return namespace.isPresent()
                ? pid -> ProcessTable.isInPidNamespace(pid, namespace.getAsLong())
                : pid -> ProcessTable.hasVariable(pid, variable);
    }

    /** The same, knowing also the session that it was started in. */
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

package dev.ash.sandbox.launch;

import java.util.Optional;
import java.util.OptionalInt;

/** A user of the host, with the group of its new files. */
public record HostUser(int uid, int gid) {
    /** Returns the dedicated user of a sandbox, whose group has the same id. */
    public static Optional<HostUser> dedicated(OptionalInt uid) {
        return uid.isPresent()
                ? Optional.of(new HostUser(uid.getAsInt(), uid.getAsInt()))
                : Optional.empty();
    }
}

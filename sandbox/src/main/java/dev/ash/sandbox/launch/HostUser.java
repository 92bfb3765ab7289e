package dev.ash.sandbox.launch;

import java.util.Optional;
import java.util.OptionalInt;

/** A user of the host, with the group that its new files get. */
public record HostUser(int uid, int gid) {
    /** A user that exists for one sandbox alone has a group of the same number. */
    public static Optional<HostUser> ofItsOwn(OptionalInt uid) {
        return uid.isPresent()
                ? Optional.of(new HostUser(uid.getAsInt(), uid.getAsInt()))
                : Optional.empty();
    }
}

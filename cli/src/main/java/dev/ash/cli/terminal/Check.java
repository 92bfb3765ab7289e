package dev.ash.cli.terminal;

import org.jspecify.annotations.Nullable;

/** Result of one check of this machine; {@code advice} is null if the status is {@code OK}. */
public record Check(String name, Status status, String found, @Nullable String advice) {

    /** {@code WEAK}: Ash runs with restrictions. {@code MISSING}: Ash cannot run. */
    public enum Status {
        OK,
        WEAK,
        MISSING
    }

    public static Check ok(String name, String found) {
        return new Check(name, Status.OK, found, null);
    }

    public static Check weak(String name, String found, String advice) {
        return new Check(name, Status.WEAK, found, advice);
    }

    public static Check missing(String name, String found, String advice) {
        return new Check(name, Status.MISSING, found, advice);
    }
}

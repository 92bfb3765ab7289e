package dev.ash.cli.doctor;

import org.jspecify.annotations.Nullable;

/** Result of one check; {@code advice} is null if the status is {@code OK}. */
record Check(String name, Status status, String found, @Nullable String advice) {

    /** {@code WEAK}: Ash runs with restrictions. {@code MISSING}: Ash cannot run. */
    enum Status {
        OK,
        WEAK,
        MISSING
    }

    static Check ok(String name, String found) {
        return new Check(name, Status.OK, found, null);
    }

    static Check weak(String name, String found, String advice) {
        return new Check(name, Status.WEAK, found, advice);
    }

    static Check missing(String name, String found, String advice) {
        return new Check(name, Status.MISSING, found, advice);
    }
}

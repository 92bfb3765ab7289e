package dev.ash.cli.doctor;

import org.jspecify.annotations.Nullable;

/** One finding of the doctor; {@code advice} is absent where all is well. */
record Check(String name, Status status, String found, @Nullable String advice) {

    /** {@code WEAK}: Ash runs, with less. {@code MISSING}: it does not run. */
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

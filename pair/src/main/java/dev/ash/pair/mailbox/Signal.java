package dev.ash.pair.mailbox;

import java.util.Arrays;
import java.util.Optional;

/** Value of a message of type {@code signal}; the file contains its name. */
public enum Signal {
    /** The worker has completed its work. */
    DONE,
    /** The reviewer approves. */
    PASS,
    /** The reviewer rejects. */
    FAIL;

    public static Optional<Signal> of(String wire) {
        return Arrays.stream(values()).filter(signal -> signal.name().equals(wire)).findFirst();
    }
}

package dev.ash.server.store;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Formats times for clients: UTC with milliseconds, of fixed length. */
public final class Timestamps {
    private static final DateTimeFormatter ISO =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    public static String iso(long millis) {
        return ISO.format(Instant.ofEpochMilli(millis));
    }

    private Timestamps() {}
}

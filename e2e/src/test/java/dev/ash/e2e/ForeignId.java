package dev.ash.e2e;

import java.util.Random;
import java.util.UUID;

/** An id that belongs to one tenant, and others like it that belong to nobody. */
record ForeignId(String value) {
    private static final Random RANDOM = new Random();

    /** Of the same shape: digits for digits, letters for letters. */
    String random() {
        try {
            UUID.fromString(value);
            return UUID.randomUUID().toString();
        } catch (IllegalArgumentException e) {
            var made = new StringBuilder();
            for (char c : value.toCharArray()) {
                made.append(like(c));
            }
            return made.toString().equals(value) ? random() : made.toString();
        }
    }

    private static char like(char c) {
        if (c >= '1' && c <= '9') {
            return (char) ('1' + RANDOM.nextInt(9));
        }
        if (c >= 'a' && c <= 'f') {
            return (char) ('a' + RANDOM.nextInt(6));
        }
        return c >= 'g' && c <= 'z' ? (char) ('g' + RANDOM.nextInt(20)) : c;
    }
}

package dev.ash.e2e;

import java.util.Random;
import java.util.UUID;

/** Id that belongs to one tenant; generates unused ids of the same format. */
record ForeignId(String value) {
    private static final Random RANDOM = new Random();

    /** Returns a random id of the same format: digits for digits, letters for letters. */
    String random() {
        try {
            UUID.fromString(value);
            return UUID.randomUUID().toString();
        } catch (IllegalArgumentException e) {
            var generated = new StringBuilder();
            for (char c : value.toCharArray()) {
                generated.append(randomLike(c));
            }
            return generated.toString().equals(value) ? random() : generated.toString();
        }
    }

    private static char randomLike(char c) {
        if (c >= '1' && c <= '9') {
            return (char) ('1' + RANDOM.nextInt(9));
        }
        if (c >= 'a' && c <= 'f') {
            return (char) ('a' + RANDOM.nextInt(6));
        }
        return c >= 'g' && c <= 'z' ? (char) ('g' + RANDOM.nextInt(20)) : c;
    }
}

package dev.ash.server.egress.model.request;

import java.util.List;
import java.util.Map;

/** A JSON value, as far as the check needs it: long strings are truncated. */
sealed interface Node {
    record Obj(Map<String, Node> fields) implements Node {}

    record Arr(List<Node> elements) implements Node {}

    /**
     * A string.
     *
     * @param start its first {@link #MAX_KEPT} characters, without leading white space
     * @param whole whether {@code start} is the whole string
     * @param unpairedSurrogate whether it has an unpaired surrogate, which parsers read differently
     * @param length the number of characters of the whole string
     */
    record Text(String start, boolean whole, boolean unpairedSurrogate, int length)
            implements Node {
        static final int MAX_KEPT = 256;

        boolean equalsText(String text) {
            return whole && start.equals(text);
        }
    }

    record Num(double value) implements Node {}

    record Bool(boolean value) implements Node {}

    record Null() implements Node {}

    Bool TRUE = new Bool(true);
    Bool FALSE = new Bool(false);
    Null NULL = new Null();
}

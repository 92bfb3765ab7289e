package dev.ash.pair;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Excerpt;
import java.util.Set;
import java.util.regex.Pattern;

/** A member of a pair, named after its engine; a second one of the same is {@code claude-2}. */
public record PeerName(String value) {
    /** Whoever speaks for Ash itself, and for the person who watches. No peer may pose as them. */
    public static final String SYSTEM = "system";

    public static final String HUMAN = "human";

    private static final Set<String> RESERVED = Set.of(SYSTEM, HUMAN);
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    public PeerName {
        if (!FORM.matcher(value).matches()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "'"
                            + shortened(value)
                            + "' is no name of a peer; expected up to 64 of a-z, 0-9, '.', '_' and"
                            + " '-', and no sign at the beginning, as in claude or codex-2");
        }
        if (RESERVED.contains(value)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "The name '" + value + "' is reserved; name the peer after its engine");
        }
    }

    private static String shortened(String value) {
        return Excerpt.of(value, 80);
    }

    @Override
    public String toString() {
        return value;
    }
}

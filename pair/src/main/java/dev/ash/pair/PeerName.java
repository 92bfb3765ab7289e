package dev.ash.pair;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Excerpt;
import java.util.Set;
import java.util.regex.Pattern;

/** Name of a peer of a run: its engine, with a suffix for a second one, as in {@code claude-2}. */
public record PeerName(String value) {
    /** Sender name of Ash itself; reserved, like {@link #HUMAN}. */
    public static final String SYSTEM = "system";

    /** Sender name of the user. */
    public static final String HUMAN = "human";

    private static final Set<String> RESERVED = Set.of(SYSTEM, HUMAN);
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    public PeerName {
        if (!FORM.matcher(value).matches()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "Invalid peer name '%s'; expected 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, such as claude or codex-2"
                            .formatted(shortened(value)));
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

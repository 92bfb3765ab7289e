package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What an agent reports about the conversation so far.
 *
 * @param size the size of the model's context in tokens; null if unknown
 * @param cost the cost in dollars according to the agent; null if unknown
 */
record AcpContextUsage(@Nullable Long size, @Nullable BigDecimal cost) {
    static final AcpContextUsage UNKNOWN = new AcpContextUsage(null, null);

    private static final int MAX_DIGITS = 30;

    /** Reads a {@code usage_update}. */
    static AcpContextUsage of(JsonObject update) throws MalformedJsonException {
        var size = update.number("size");
        return new AcpContextUsage(
                size.isPresent() ? (Long) size.getAsLong() : null,
                dollars(update.object("cost").orElse(update)));
    }

    private static @Nullable BigDecimal dollars(JsonObject cost) throws MalformedJsonException {
        var amount = cost.raw("amount");
        return amount.isPresent() && cost.string("currency").orElse("").equals("USD")
                ? decimal(amount.get().toString())
                : null;
    }

    private static @Nullable BigDecimal decimal(String text) {
        try {
            var value = new BigDecimal(text);
            return text.length() <= MAX_DIGITS && Math.abs(value.scale()) <= MAX_DIGITS
                    ? new BigDecimal(value.toPlainString())
                    : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}

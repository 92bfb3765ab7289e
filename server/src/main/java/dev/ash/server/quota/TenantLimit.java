package dev.ash.server.quota;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import java.util.HashMap;
import java.util.Map;

/**
 * A limit for every tenant, with exceptions: {@code 20,acme=50} is 50 for acme and 20 for others.
 * Without a default, only the named tenants have a limit.
 */
public record TenantLimit(long defaultLimit, Map<TenantId, Long> exceptions) {
    public static final TenantLimit NONE = new TenantLimit(Long.MAX_VALUE, Map.of());

    private static final int MAX = 1_000_000_000;

    public TenantLimit {
        exceptions = Map.copyOf(exceptions);
    }

    /** Parses a setting; {@code name} is its name for error messages. */
    public static TenantLimit parse(String name, String text) {
        long defaultLimit = Long.MAX_VALUE;
        var exceptions = new HashMap<TenantId, Long>();
        var parts = text.split(",", -1);
        for (int i = 0; i < parts.length; i++) {
            var part = parts[i].strip();
            int equals = part.indexOf('=');
            if (equals < 0 && i == 0) {
                defaultLimit = number(name, text, part);
            } else if (equals < 0
                    || exceptions.put(
                                    tenant(name, text, part.substring(0, equals).strip()),
                                    number(name, text, part.substring(equals + 1).strip()))
                            != null) {
                throw invalid(name, text);
            }
        }
        return new TenantLimit(defaultLimit, exceptions);
    }

    private static TenantId tenant(String name, String text, String id) {
        try {
            return new TenantId(id);
        } catch (ApiException e) {
            throw invalid(name, text);
        }
    }

    private static long number(String name, String text, String number) {
        try {
            int value = Integer.parseInt(number);
            if (value >= 0 && value <= MAX) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw invalid(name, text);
    }

    private static ApiException invalid(String name, String text) {
        return new ApiException(
                ErrorCode.VALIDATION_FAILED,
                "%s is \"%s\"; it must be a whole number from 0 to %d, optionally followed by other limits of single tenants, such as 20,acme=50"
                        .formatted(name, text, MAX));
    }

    public long of(TenantId tenant) {
        return exceptions.getOrDefault(tenant, defaultLimit);
    }

    /** Whether any tenant has a limit. */
    boolean isSet() {
        return !equals(NONE);
    }
}

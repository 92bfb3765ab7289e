package dev.ash.protocol;

import java.util.regex.Pattern;

/** Identifies a tenant. A tenant cannot see the rows of another tenant. */
public record TenantId(String value) {
    private static final Pattern SHAPE = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

    public static final TenantId DEFAULT = new TenantId("default"); // below SHAPE, which it needs

    public TenantId {
        if (!SHAPE.matcher(value).matches()) {
            throw ApiException.invalid(
                    "tenantId", "must be 1 to 64 characters: letters, digits, _ and -");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}

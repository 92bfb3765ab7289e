package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import java.util.UUID;
import java.util.regex.Pattern;

/** Identifies an approval. */
public record ApprovalId(String value) {
    private static final Pattern SHAPE =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

    public ApprovalId {
        if (!SHAPE.matcher(value).matches()) {
            throw ApiException.invalid(
                    "approvalId",
                    "must be a lower-case UUID such as 550e8400-e29b-41d4-a716-446655440000");
        }
    }

    static ApprovalId random() {
        return new ApprovalId(UUID.randomUUID().toString());
    }

    @Override
    public String toString() {
        return value;
    }
}

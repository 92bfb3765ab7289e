package dev.ash.server.gateway;

import dev.ash.protocol.ErrorCode;

/**
 * The codes of error frames, and whether the request can be retried: the seven of the published
 * protocol, one for missing scopes, and one for repeated messages.
 */
enum GatewayError {
    AUTH_FAILED(false),
    SESSION_NOT_FOUND(false),
    AGENT_ERROR(true),
    TOOL_ERROR(true),
    GIT_ERROR(true),
    RATE_LIMITED(true),
    BRIDGE_ERROR(true),
    SCOPE_MISSING(false),
    DUPLICATE_MESSAGE(false);

    private final boolean recoverable;

    GatewayError(boolean recoverable) {
        this.recoverable = recoverable;
    }

    boolean recoverable() {
        return recoverable;
    }

    /** Maps an error code of the REST API. */
    static GatewayError of(ErrorCode code) {
        return switch (code) {
            case UNAUTHORIZED, FORBIDDEN -> AUTH_FAILED;
            case SESSION_NOT_FOUND, SESSION_ENDED, PAIR_NOT_FOUND -> SESSION_NOT_FOUND;
            case APPROVAL_NOT_FOUND, APPROVAL_RESOLVED -> TOOL_ERROR;
            case RATE_LIMITED -> RATE_LIMITED;
            case AGENT_NOT_FOUND,
                    AGENT_UNUSABLE,
                    SESSION_BUSY,
                    SESSION_NOT_ACTIVE,
                    PAIR_NOT_RUNNING,
                    SESSION_LOG_FULL,
                    QUOTA_EXCEEDED,
                    SANDBOX_FAILED,
                    NOT_SUPPORTED,
                    CAPACITY_REACHED ->
                    AGENT_ERROR;
            case VALIDATION_FAILED,
                    PATH_NOT_ALLOWED,
                    INVALID_JSON,
                    ROUTE_NOT_FOUND,
                    FILE_NOT_FOUND,
                    CREDENTIAL_NOT_FOUND,
                    DEVICE_NOT_FOUND,
                    API_KEY_NOT_FOUND,
                    TENANT_EXISTS,
                    METHOD_NOT_ALLOWED,
                    PAYLOAD_TOO_LARGE,
                    IDEMPOTENCY_MISMATCH,
                    ROTATION_REFUSED,
                    INTERNAL,
                    SHUTTING_DOWN,
                    DISK_FULL ->
                    BRIDGE_ERROR;
        };
    }
}

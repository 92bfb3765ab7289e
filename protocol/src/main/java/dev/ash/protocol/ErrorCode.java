package dev.ash.protocol;

/** The error codes of the API, each with its HTTP status and whether a retry can succeed. */
public enum ErrorCode {
    VALIDATION_FAILED(400, false),
    INVALID_JSON(400, false),
    SESSION_NOT_ACTIVE(400, false),
    UNAUTHORIZED(401, false),
    FORBIDDEN(403, false),
    PATH_NOT_ALLOWED(403, false),
    ROUTE_NOT_FOUND(404, false),
    AGENT_NOT_FOUND(404, false),
    SESSION_NOT_FOUND(404, false),
    FILE_NOT_FOUND(404, false),
    APPROVAL_NOT_FOUND(404, false),
    CREDENTIAL_NOT_FOUND(404, false),
    DEVICE_NOT_FOUND(404, false),
    PAIR_NOT_FOUND(404, false),
    API_KEY_NOT_FOUND(404, false),
    METHOD_NOT_ALLOWED(405, false),
    SESSION_BUSY(409, true),
    APPROVAL_RESOLVED(409, false),
    PAIR_NOT_RUNNING(409, false),
    TENANT_EXISTS(409, false),
    ROTATION_REFUSED(409, false),
    SESSION_LOG_FULL(409, false),
    SESSION_ENDED(410, false),
    PAYLOAD_TOO_LARGE(413, false),
    AGENT_UNUSABLE(422, false),
    IDEMPOTENCY_MISMATCH(422, false),
    RATE_LIMITED(429, true),
    QUOTA_EXCEEDED(429, true),
    INTERNAL(500, true),
    NOT_SUPPORTED(501, false),
    SANDBOX_FAILED(502, true),
    CAPACITY_REACHED(503, true),
    SHUTTING_DOWN(503, true),
    DISK_FULL(507, true);

    private final int httpStatus;
    private final boolean recoverable;

    ErrorCode(int httpStatus, boolean recoverable) {
        this.httpStatus = httpStatus;
        this.recoverable = recoverable;
    }

    public int httpStatus() {
        return httpStatus;
    }

    public boolean recoverable() {
        return recoverable;
    }
}

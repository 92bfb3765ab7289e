package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ErrorCodeTest {
    /** Clients depend on these values: a change here is an API change. */
    @Test
    void codesAndStatusesAreStable() {
        var table =
                Arrays.stream(ErrorCode.values())
                        .map(
                                code ->
                                        "%s %d %s"
                                                .formatted(
                                                        code.name(),
                                                        code.httpStatus(),
                                                        code.recoverable() ? "retry" : "give up"))
                        .collect(Collectors.joining("\n"));

        assertThat(table)
                .isEqualTo(
                        """
                        VALIDATION_FAILED 400 give up
                        INVALID_JSON 400 give up
                        SESSION_NOT_ACTIVE 400 give up
                        UNAUTHORIZED 401 give up
                        FORBIDDEN 403 give up
                        PATH_NOT_ALLOWED 403 give up
                        ROUTE_NOT_FOUND 404 give up
                        AGENT_NOT_FOUND 404 give up
                        SESSION_NOT_FOUND 404 give up
                        FILE_NOT_FOUND 404 give up
                        APPROVAL_NOT_FOUND 404 give up
                        CREDENTIAL_NOT_FOUND 404 give up
                        DEVICE_NOT_FOUND 404 give up
                        PAIR_NOT_FOUND 404 give up
                        API_KEY_NOT_FOUND 404 give up
                        METHOD_NOT_ALLOWED 405 give up
                        SESSION_BUSY 409 retry
                        APPROVAL_RESOLVED 409 give up
                        PAIR_NOT_RUNNING 409 give up
                        TENANT_EXISTS 409 give up
                        ROTATION_REFUSED 409 give up
                        SESSION_LOG_FULL 409 give up
                        SESSION_ENDED 410 give up
                        PAYLOAD_TOO_LARGE 413 give up
                        AGENT_UNUSABLE 422 give up
                        IDEMPOTENCY_MISMATCH 422 give up
                        RATE_LIMITED 429 retry
                        QUOTA_EXCEEDED 429 retry
                        INTERNAL 500 retry
                        NOT_SUPPORTED 501 give up
                        SANDBOX_FAILED 502 retry
                        CAPACITY_REACHED 503 retry
                        SHUTTING_DOWN 503 retry
                        DISK_FULL 507 retry""");
    }

    @Test
    void hidesTextOfUnexpectedFailures() {
        var failure = new IllegalStateException("password is hunter2");

        var known = ApiException.from(failure);

        assertThat(known.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(known.message()).doesNotContain("hunter2");
        assertThat(known).hasCause(failure);
    }

    @Test
    void returnsApiExceptionsUnchanged() {
        var failure = ApiException.invalid("limit", "must be 1 to 1000");

        assertThat(ApiException.from(failure)).isSameAs(failure);
        assertThat(failure.message()).isEqualTo("limit: must be 1 to 1000");
        assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
}

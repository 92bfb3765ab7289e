package dev.ash.protocol.rest;

import dev.ash.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The body of all REST API errors. {@code message} equals {@code error}: clients read either. */
public record ErrorBody(
        String error,
        String message,
        @FieldSchema(of = ErrorCode.class) String code,
        int statusCode,
        @Nullable String sessionId) {}

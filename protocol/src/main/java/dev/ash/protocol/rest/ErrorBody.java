package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/** Every refusal of the REST API. {@code message} repeats {@code error}: clients read either. */
public record ErrorBody(
        String error, String message, String code, int statusCode, @Nullable String sessionId) {}

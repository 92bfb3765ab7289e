package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.exc.MismatchedInputException;

/** Maps Jackson's binding failures to API errors that name the field and the violated rule. */
final class BindingErrors {
    /** Maps the failure of reading this body as a record of this type. */
    static ApiException toApiException(JacksonException failure, byte[] json, Class<?> type) {
        var error = toApiException(failure);
        boolean missing = failure instanceof MismatchedInputException e && isMissing(e);
        boolean isNull = failure instanceof InvalidNullException;
        return missing || isNull
                ? new ApiException(
                        error.code(),
                        error.message()
                                + UnknownFields.messages(json, type, failure.getPath(), true))
                : error;
    }

    private static ApiException toApiException(JacksonException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ApiException known) {
                return known; // thrown by the constructor of a record
            }
        }
        return switch (failure) {
            case InputCoercionException e -> invalid(e, range(e.getTargetType()));
            case StreamReadException e -> malformed(e);
            case StreamConstraintsException e -> malformed(e);
            case InvalidNullException e -> invalid(e, "must not be null");
            case MismatchedInputException e when isMissing(e) -> invalid(e, "is required");
            case MismatchedInputException e -> invalid(e, "must be " + kind(e.getTargetType()));
            default -> invalid(failure, "is not valid");
        };
    }

    private static ApiException malformed(JacksonException failure) {
        var at = failure.getLocation();
        var where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
        return new ApiException(
                ErrorCode.INVALID_JSON,
                "The body is not valid JSON" + where + ": " + firstLine(failure));
    }

    private static String firstLine(JacksonException failure) {
        return failure.getOriginalMessage().lines().findFirst().orElse("malformed");
    }

    private static ApiException invalid(JacksonException failure, String rule) {
        return ApiException.invalid(field(failure), rule);
    }

    /** Returns the field in JavaScript notation: {@code files[0].path}. */
    private static String field(JacksonException failure) {
        var field = new StringBuilder();
        for (var step : failure.getPath()) {
            if (step.getPropertyName() == null) {
                field.append('[').append(step.getIndex()).append(']');
            } else {
                field.append(field.isEmpty() ? "" : ".").append(step.getPropertyName());
            }
        }
        return field.isEmpty() ? "body" : field.toString();
    }

    private static boolean isMissing(MismatchedInputException failure) {
        return failure.getOriginalMessage().startsWith("Missing required creator property");
    }

    private static String kind(@Nullable Class<?> type) {
        if (type == null) {
            return "another type";
        }
        if (type == String.class) {
            return "a string";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        }
        if (type == Double.class || type == double.class) {
            return "a number";
        }
        if (Number.class.isAssignableFrom(type) || type == int.class || type == long.class) {
            return "a whole number";
        }
        if (Collection.class.isAssignableFrom(type) || type.isArray()) {
            return "an array";
        }
        return type.isRecord() || Map.class.isAssignableFrom(type) ? "an object" : "another type";
    }

    private static String range(Class<?> type) {
        return type == int.class || type == Integer.class
                ? "must be a whole number from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE
                : "must be a number in the supported range";
    }

    private BindingErrors() {}
}

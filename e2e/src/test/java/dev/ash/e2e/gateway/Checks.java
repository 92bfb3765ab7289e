package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import tools.jackson.databind.JsonNode;

/** Creates a dynamic test for each checked field of a message. */
final class Checks {
    private final String message;
    private final JsonNode payload;
    private final List<DynamicTest> tests = new ArrayList<>();

    private Checks(String message, JsonNode payload) {
        this.message = message;
        this.payload = payload;
    }

    static Checks of(String message, JsonNode payload) {
        return new Checks(message, payload);
    }

    Checks text(String... fields) {
        return each("is text", JsonNode::isString, fields);
    }

    Checks whole(String... fields) {
        return each("is a whole number", JsonNode::isIntegralNumber, fields);
    }

    Checks truth(String... fields) {
        return each("is true or false", JsonNode::isBoolean, fields);
    }

    Checks list(String... fields) {
        return each("is a list", JsonNode::isArray, fields);
    }

    Checks object(String... fields) {
        return each("is an object", JsonNode::isObject, fields);
    }

    Checks time(String... fields) {
        return each("is a time", node -> Instant.parse(node.asString()) != null, fields);
    }

    Checks absent(String... fields) {
        return each("is absent", JsonNode::isMissingNode, fields);
    }

    Checks equal(String field, Object value) {
        return each(
                "is " + value,
                node ->
                        node.isString() == value instanceof String
                                && node.asString().equals("" + value),
                field);
    }

    private Checks each(String what, Predicate<JsonNode> check, String... fields) {
        for (var field : fields) {
            tests.add(
                    DynamicTest.dynamicTest(
                            "%s.%s %s".formatted(message, field, what),
                            () ->
                                    assertThat(check.test(payload.at("/" + field)))
                                            .as("%s.%s %s: %s", message, field, what, payload)
                                            .isTrue()));
        }
        return this;
    }

    Stream<DynamicTest> all() {
        return tests.stream();
    }
}

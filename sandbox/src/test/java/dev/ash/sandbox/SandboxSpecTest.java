package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.ResourceLimits;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxSpecTest {
    private static final Set<Type> PLAIN =
            Set.of(
                    String.class,
                    boolean.class,
                    int.class,
                    long.class,
                    double.class,
                    Boolean.class,
                    Integer.class,
                    Long.class,
                    Double.class);

    private static SandboxSpec spec(String nonce) {
        return new SandboxSpec(
                SandboxId.random(),
                null,
                TestBed.AGENT,
                Map.of(),
                ResourceLimits.DEFAULT,
                Network.CLOSED,
                nonce);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "short",
                "fifteen-letters",
                "has a space in it",
                "has-a-newline-in\nit",
                "has-a-quote-'in-it",
                "has-ümlauts-in-it"
            })
    void rejectsShortOrMalformedNonce(String nonce) {
        assertThatThrownBy(() -> spec(nonce))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("must have 16 to 128 characters");
    }

    @Test
    void rejectsLongNonce() {
        assertThat(spec("x".repeat(128)).nonce()).hasSize(128);
        assertThatThrownBy(() -> spec("x".repeat(129))).isInstanceOf(ApiException.class);
    }

    @Test
    void omitsNonceFromToString() {
        var nonce = LaunchIds.random();

        assertThat(spec(nonce).toString()).doesNotContain(nonce);
    }

    @ParameterizedTest
    @ValueSource(classes = {SandboxSpec.class, WarmKey.class})
    void containsPlainValuesOnly(Class<?> type) {
        assertPlain(type, type.getSimpleName());
    }

    /** Asserts that a type has a JSON form with the same meaning on every machine. */
    private static void assertPlain(Type type, String where) {
        switch (type) {
            case ParameterizedType generic -> {
                assertThat(generic.getRawType()).as(where).isIn(List.class, Map.class);
                for (var argument : generic.getActualTypeArguments()) {
                    assertPlain(argument, where);
                }
            }
            case Class<?> record when record.isRecord() -> {
                for (var component : record.getRecordComponents()) {
                    assertPlain(component.getGenericType(), where + "." + component.getName());
                }
            }
            default ->
                    assertThat(type)
                            .as(where)
                            .matches(plain -> PLAIN.contains(plain) || isEnum(plain), "is plain");
        }
    }

    private static boolean isEnum(Type type) {
        return type instanceof Class<?> named && named.isEnum();
    }
}

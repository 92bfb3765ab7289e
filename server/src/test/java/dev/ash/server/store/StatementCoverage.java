package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Checks that a contract executes every statement of its stores. Skips the check if only some tests
 * of the contract ran.
 */
final class StatementCoverage implements AfterEachCallback, AfterAllCallback {
    private static final Pattern STATEMENT =
            Pattern.compile("(SELECT|INSERT|UPDATE|DELETE|PRAGMA) ");

    /** A parameter or a template variable, such as the list in {@code IN (<ids>)}. */
    private static final Pattern VARIABLE = Pattern.compile("(?<!:):[a-zA-Z]+|<[a-zA-Z]+>");

    private static final Map<Class<?>, Set<String>> PREPARED = new ConcurrentHashMap<>();
    private static final Map<Class<?>, Set<String>> RUN = new ConcurrentHashMap<>();

    /** Returns a wrapper that records the prepared statements of a contract. */
    static UnaryOperator<DataSource> recorder(Class<?> contract) {
        var statements = PREPARED.computeIfAbsent(contract, _ -> ConcurrentHashMap.newKeySet());
        return ConnectionInterceptor.before(
                (method, argument) -> {
                    if (method.equals("prepareStatement") && argument instanceof String sql) {
                        statements.add(onOneLine(sql));
                    }
                });
    }

    @Override
    public void afterEach(ExtensionContext context) {
        RUN.computeIfAbsent(context.getRequiredTestClass(), _ -> ConcurrentHashMap.newKeySet())
                .add(context.getRequiredTestMethod().getName());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        var contract = context.getRequiredTestClass();
        var tests =
                Arrays.stream(contract.getDeclaredMethods())
                        .filter(
                                method ->
                                        method.isAnnotationPresent(Test.class)
                                                || method.isAnnotationPresent(
                                                        ParameterizedTest.class))
                        .map(Method::getName)
                        .toList();
        var run = RUN.getOrDefault(contract, Set.of());
        if (!run.containsAll(tests)) {
            return;
        }
        var prepared = PREPARED.getOrDefault(contract, Set.of());
        for (var store : contract.getAnnotation(StoreContract.Covers.class).value()) {
            var statements = statements(store);
            assertThat(statements).as("statements of %s", store).isNotEmpty();
            assertThat(statements)
                    .as("statements of %s that no test of its contract executes", store)
                    .allMatch(sql -> prepared.stream().anyMatch(pattern(sql).asMatchPredicate()));
        }
    }

    private static List<String> statements(Class<?> store) {
        return Arrays.stream(store.getDeclaredFields())
                .filter(
                        field ->
                                Modifier.isStatic(field.getModifiers())
                                        && field.getType() == String.class)
                .map(
                        field -> {
                            try {
                                field.setAccessible(true);
                                return onOneLine(String.valueOf(field.get(null)));
                            } catch (IllegalAccessException e) {
                                throw new IllegalStateException(e);
                            }
                        })
                .filter(text -> STATEMENT.matcher(text).lookingAt())
                .toList();
    }

    private static Pattern pattern(String statement) {
        var regex = new StringBuilder();
        var variables = VARIABLE.matcher(statement);
        int end = 0;
        while (variables.find()) {
            regex.append(Pattern.quote(statement.substring(end, variables.start())));
            regex.append(variables.group().startsWith(":") ? "\\?" : ".+");
            end = variables.end();
        }
        return Pattern.compile(regex + Pattern.quote(statement.substring(end)));
    }

    private static String onOneLine(String sql) {
        return sql.strip().replaceAll("\\s+", " ");
    }
}

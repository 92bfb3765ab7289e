package dev.ash.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Marks tests that run the real Codex CLI, whose path is in {@code ASH_TEST_CODEX}. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsCodex.Condition.class)
public @interface NeedsCodex {

    final class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (System.getenv("ASH_TEST_CODEX") != null) {
                return ConditionEvaluationResult.enabled("the CLI is available");
            }
            var reason =
                    "ASH_TEST_CODEX is not set: it must name the codex program; ./check sets it";
            if ("true".equals(System.getenv("CI"))) {
                throw new IllegalStateException(reason);
            }
            return ConditionEvaluationResult.disabled(reason);
        }

        public static Path program() {
            return Path.of(System.getenv("ASH_TEST_CODEX")).toAbsolutePath();
        }
    }
}

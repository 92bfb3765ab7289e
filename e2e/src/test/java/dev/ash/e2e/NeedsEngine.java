package dev.ash.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Marks tests that run the real CLIs of these engines, whose paths are in {@code ASH_TEST_<NAME>}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsEngine.Condition.class)
public @interface NeedsEngine {
    /** Names as in {@code e2e/engines.txt}. */
    String[] value();

    final class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            var needed =
                    AnnotationSupport.findAnnotation(context.getElement(), NeedsEngine.class)
                            .map(NeedsEngine::value)
                            .orElseGet(() -> new String[0]);
            for (var engine : needed) {
                if (System.getenv(variable(engine)) == null) {
                    return missing(engine);
                }
            }
            return ConditionEvaluationResult.enabled("the CLIs are available");
        }

        private static ConditionEvaluationResult missing(String engine) {
            var reason =
                    "%s is not set: it must name the %s program; ./check sets it"
                            .formatted(variable(engine), engine);
            if ("true".equals(System.getenv("CI"))) {
                throw new IllegalStateException(reason);
            }
            return ConditionEvaluationResult.disabled(reason);
        }

        /** Returns the path of an engine's program. */
        static Path program(String engine) {
            return Path.of(System.getenv(variable(engine))).toAbsolutePath();
        }

        private static String variable(String engine) {
            return "ASH_TEST_" + engine.toUpperCase(Locale.ROOT);
        }
    }
}

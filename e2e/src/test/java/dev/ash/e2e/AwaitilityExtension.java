package dev.ash.e2e;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Prevents Awaitility from failing a test because of an uncaught exception of another test: test
 * classes run concurrently, and by default every wait observes all threads of the JVM. JUnit
 * registers this extension automatically.
 */
public final class AwaitilityExtension implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}

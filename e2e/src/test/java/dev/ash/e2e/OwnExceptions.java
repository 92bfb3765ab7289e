package dev.ash.e2e;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Keeps a wait of Awaitility from failing with an exception of another test: classes run at the
 * same time, and by default every wait watches all threads of the JVM. JUnit finds it by itself.
 */
public final class OwnExceptions implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}

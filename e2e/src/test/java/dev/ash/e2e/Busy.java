package dev.ash.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Tests that use all of the machine for a long time. No two of them run at once: what waits for a
 * program within the limits of the product would be late through no fault of it. A class that finds
 * another one running is put off until the end, so only the longest of them asks to be the first.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ResourceLock("processors")
public @interface Busy {}

package dev.ash.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Marks tests that use the whole machine for a long time. They never run concurrently: programs
 * would exceed the product's time limits only because of the load. A class that finds another one
 * running is deferred to the end, so only the longest one requests to run first.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ResourceLock("processors")
public @interface Busy {}

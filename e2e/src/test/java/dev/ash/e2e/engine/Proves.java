package dev.ash.e2e.engine;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The properties that a test of the contract proves. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Proves {
    Property[] value();
}

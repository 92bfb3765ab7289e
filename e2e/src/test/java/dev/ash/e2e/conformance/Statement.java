package dev.ash.e2e.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The statement of a document that a test checks: one row of {@code docs/conformance.md}. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Statement {
    /** Number of the document and number in it, such as {@code 000-07}. */
    String id();

    /** The statement in one line, in the words of the document where possible. */
    String says();

    Verdict verdict() default Verdict.HOLDS;

    /** The behavior of Ash. Required unless the statement holds. */
    String instead() default "";

    /**
     * The page that explains the difference, as {@code docs/….md#heading}. Required unless the
     * statement holds.
     */
    String see() default "";
}

package dev.ash.protocol.rest;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes a field beyond its Java type, for the OpenAPI document. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface FieldSchema {
    /** All values that the field, or each element of a list, can have. */
    String[] values() default {};

    /** The values as an enum; a constant is written as its {@code wire()}, or else its name. */
    Class<? extends Enum<?>>[] of() default {};

    /** The name of a manually written schema, for fields that contain arbitrary JSON. */
    String ref() default "";
}

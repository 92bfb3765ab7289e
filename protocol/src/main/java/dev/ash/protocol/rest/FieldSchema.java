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

    /** The same as an enum, whose constants are on the wire by {@code wire()} or their name. */
    Class<? extends Enum<?>>[] of() default {};

    /** The name of a schema that is written by hand, for fields that hold any JSON. */
    String ref() default "";
}

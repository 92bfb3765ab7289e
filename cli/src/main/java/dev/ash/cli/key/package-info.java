/** {@code ash keys} and {@code ash tenants}: manages API keys and tenants. */
@NullMarked
package dev.ash.cli.key;

import org.jspecify.annotations.NullMarked;

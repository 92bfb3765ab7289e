/** {@code ash keys} and {@code ash tenants}: who may call the server, and for what. */
@NullMarked
package dev.ash.cli.key;

import org.jspecify.annotations.NullMarked;

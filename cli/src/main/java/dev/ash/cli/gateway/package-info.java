/** {@code ash gateway}: where phones and browsers connect. */
@NullMarked
package dev.ash.cli.gateway;

import org.jspecify.annotations.NullMarked;

/** {@code ash gateway}: shows and changes the address to which devices connect. */
@NullMarked
package dev.ash.cli.gateway;

import org.jspecify.annotations.NullMarked;

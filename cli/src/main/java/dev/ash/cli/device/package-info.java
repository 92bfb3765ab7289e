/** {@code ash devices}: pairs, lists and revokes devices. */
@NullMarked
package dev.ash.cli.device;

import org.jspecify.annotations.NullMarked;

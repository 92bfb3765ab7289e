/** {@code ash engines}: lists, installs and checks the programs of engines. */
@NullMarked
package dev.ash.cli.engine;

import org.jspecify.annotations.NullMarked;

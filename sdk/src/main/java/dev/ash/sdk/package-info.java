/**
 * The Java client of the REST API: {@link dev.ash.sdk.AshClient} for the calls, {@link
 * dev.ash.sdk.EventStream} for what a turn says. Every method blocks. HTTP is spoken on plain
 * sockets, because the JDK's own client costs a command line tool 0.4 s of class loading.
 */
@NullMarked
package dev.ash.sdk;

import org.jspecify.annotations.NullMarked;

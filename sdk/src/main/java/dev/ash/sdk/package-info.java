/**
 * Java client for the REST API: {@link dev.ash.sdk.AshClient} makes calls, {@link
 * dev.ash.sdk.EventStream} reads event streams. Every method blocks. Uses plain sockets, because
 * the JDK's HTTP client costs a command-line tool 0.4 s of class loading.
 */
@NullMarked
package dev.ash.sdk;

import org.jspecify.annotations.NullMarked;

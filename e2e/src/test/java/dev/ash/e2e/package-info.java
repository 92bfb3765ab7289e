/**
 * End-to-end tests that start the real programs and drive them only from the outside: over HTTP, by
 * signals and with the command line.
 */
package dev.ash.e2e;

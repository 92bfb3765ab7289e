/** Tests that start the real programs and drive them as a stranger would: over HTTP, by signals. */
package dev.ash.e2e;

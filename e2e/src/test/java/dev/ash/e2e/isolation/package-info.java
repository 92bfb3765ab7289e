/** Attacks on the isolation of sandboxes: escapes, exfiltration, resource exhaustion and races. */
package dev.ash.e2e.isolation;

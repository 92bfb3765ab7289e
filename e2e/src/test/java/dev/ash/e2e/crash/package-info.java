/** Servers are killed at every moment that matters, and nothing may be lost or done twice. */
package dev.ash.e2e.crash;

/** Kills real servers at every kill point and checks that nothing is lost or done twice. */
package dev.ash.e2e.crash;

/** Pairs, with real servers, sandboxes, repositories and, where a test says so, real engines. */
package dev.ash.e2e.pair;

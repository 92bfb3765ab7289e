/** Tests of pairs with real servers, sandboxes and repositories; some of them with real engines. */
package dev.ash.e2e.pair;

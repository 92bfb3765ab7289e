/**
 * The contract of all engines: one suite that runs on each real CLI, and engines from the
 * operator's configuration, including hostile ones.
 */
package dev.ash.e2e.engine;

/**
 * One test per checkable statement of the published documents, with clients, bridges and MCP peers
 * written only from these documents. {@link dev.ash.e2e.conformance.ConformanceTableTest} generates
 * {@code docs/conformance.md} from the tests' {@link dev.ash.e2e.conformance.Statement}s.
 */
package dev.ash.e2e.conformance;

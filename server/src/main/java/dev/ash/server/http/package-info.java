/**
 * The HTTP entry point: routes, authenticates, binds and answers requests, and generates the
 * OpenAPI document from the same endpoints. Only this package uses Jetty. It contains no feature.
 */
@NullMarked
package dev.ash.server.http;

import org.jspecify.annotations.NullMarked;

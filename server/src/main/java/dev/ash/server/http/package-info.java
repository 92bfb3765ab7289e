/**
 * The HTTP door: one table of endpoints yields the routes and the OpenAPI document; requests are
 * checked, bound and answered here. Only this package knows Jetty; no feature lives in it.
 */
@NullMarked
package dev.ash.server.http;

import org.jspecify.annotations.NullMarked;

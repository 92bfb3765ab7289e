/**
 * Checks requests to a model API before they are forwarded with the real credential. A request must
 * not make the provider fetch, connect, execute or refer to anything outside the request. The
 * permitted content of each {@link dev.ash.server.egress.model.request.RequestFormat} is defined by
 * a table, such as {@link dev.ash.server.egress.model.request.AnthropicMessages}.
 */
@NullMarked
package dev.ash.server.egress.model.request;

import org.jspecify.annotations.NullMarked;

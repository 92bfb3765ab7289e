/**
 * Checks requests to a model's API before they leave with the real credential. A request must not
 * make the provider fetch, connect, execute or refer to something outside the request itself. What
 * each provider accepts is data: {@link dev.ash.server.egress.model.request.AnthropicMessages} and
 * {@link dev.ash.server.egress.model.request.OpenAiResponses}.
 */
@NullMarked
package dev.ash.server.egress.model.request;

import org.jspecify.annotations.NullMarked;

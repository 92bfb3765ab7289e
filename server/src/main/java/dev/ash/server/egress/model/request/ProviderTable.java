package dev.ash.server.egress.model.request;

import java.util.Set;

/**
 * What one provider may be sent.
 *
 * @param request the body
 * @param queries the query strings of its URL, besides none
 * @param betaHeaders headers whose values are lists of features, in lower case
 * @param betas the features that pass; a date after a feature does not count
 */
record ProviderTable(
        Shape request, Set<String> queries, Set<String> betaHeaders, Set<String> betas) {}

package dev.ash.server.egress.model.request;

import java.util.Set;

/**
 * The permitted content of requests to one provider.
 *
 * @param request the shape of the body
 * @param queries the permitted query strings besides the empty one
 * @param betaHeaders lower-case names of headers whose values are lists of beta features
 * @param betas the permitted beta features, without their date suffixes
 */
record ProviderTable(
        Shape request, Set<String> queries, Set<String> betaHeaders, Set<String> betas) {}

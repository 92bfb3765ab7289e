package dev.ash.server.egress.model.request;

import java.util.Set;

/**
 * The permitted content of requests in one format.
 *
 * @param request the shape of the body
 * @param betaHeaders lower-case names of headers whose values are lists of beta features
 * @param betas the permitted beta features, without their date suffixes
 */
record FormatTable(Shape request, Set<String> betaHeaders, Set<String> betas) {}

/** Output of results: tables, plots, the page and the table of the documentation. */
@NullMarked
package dev.ash.bench.report;

import org.jspecify.annotations.NullMarked;

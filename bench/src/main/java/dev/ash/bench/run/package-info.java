/** The interface of a benchmark and the services that it uses while it runs. */
@NullMarked
package dev.ash.bench.run;

import org.jspecify.annotations.NullMarked;

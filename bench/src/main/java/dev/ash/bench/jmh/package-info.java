/**
 * JMH benchmarks of code on the path of every event: the bridge protocol, framing, and the event
 * log. They run in their own processes, with the jars of the server.
 */
@NullMarked
package dev.ash.bench.jmh;

import org.jspecify.annotations.NullMarked;

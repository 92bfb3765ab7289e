package dev.ash.bench;

import dev.ash.bench.engine.Engines;
import dev.ash.bench.jmh.Jmh;
import dev.ash.bench.network.Egress;
import dev.ash.bench.network.Gateway;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.scale.Fanout;
import dev.ash.bench.scale.LogSize;
import dev.ash.bench.scale.ManySessions;
import dev.ash.bench.scale.Memory;
import dev.ash.bench.scale.NoisyNeighbor;
import dev.ash.bench.scale.Purge;
import dev.ash.bench.session.BridgeStart;
import dev.ash.bench.session.Create;
import dev.ash.bench.session.CreateCold;
import dev.ash.bench.session.CreateMany;
import dev.ash.bench.session.Fork;
import dev.ash.bench.session.Health;
import dev.ash.bench.session.Resume;
import dev.ash.bench.session.Start;
import dev.ash.bench.session.Stop;
import dev.ash.bench.turn.Burst;
import dev.ash.bench.turn.Cli;
import dev.ash.bench.turn.Deltas;
import dev.ash.bench.turn.Message;
import dev.ash.bench.turn.Publish;
import java.util.List;

/** All benchmarks, in the order in which they run. */
final class Catalog {
    static List<Benchmark> all() {
        return List.of(
                new Start(),
                new Health(),
                new Create(),
                new CreateCold(),
                new CreateMany(),
                new Resume(),
                Stop.stop(),
                Stop.delete(),
                new Fork(),
                new BridgeStart(),
                new Message(),
                new Deltas(),
                new Burst(),
                new Cli(),
                new Engines(),
                new Memory(),
                new Fanout(),
                new ManySessions(),
                new LogSize(),
                new Gateway(),
                new Egress(),
                new Jmh(),
                new Publish(),
                new NoisyNeighbor(),
                new Purge());
    }

    static List<String> names() {
        return all().stream().map(Benchmark::name).toList();
    }

    private Catalog() {}
}

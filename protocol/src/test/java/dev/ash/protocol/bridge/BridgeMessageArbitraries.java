package dev.ash.protocol.bridge;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.json.TextArbitraries;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Arbitrary commands and events of every kind, for property tests. */
final class BridgeMessageArbitraries {
    static Arbitrary<BridgeCommand> commands() {
        Arbitrary<BridgeCommand> queries =
                Combinators.combine(notNull(), text(), maybe(text()), turnOptions())
                        .as(BridgeCommand.Query::new);
        Arbitrary<BridgeCommand> configures =
                Combinators.combine(text(), engineConfigs()).as(BridgeCommand.Configure::new);
        Arbitrary<BridgeCommand> execs =
                Combinators.combine(text(), text(), Arbitraries.longs())
                        .as(BridgeCommand.Exec::new);
        Arbitrary<BridgeCommand> approves =
                Combinators.combine(
                                text(),
                                Arbitraries.of(true, false),
                                maybe(notNull()),
                                maybe(text()))
                        .as(BridgeCommand.Approve::new);
        Arbitrary<BridgeCommand> continues =
                Combinators.combine(text(), text(), turnOptions()).as(BridgeCommand.Continue::new);
        Arbitrary<BridgeCommand> steers =
                Combinators.combine(text(), text(), notNull()).as(BridgeCommand.Steer::new);
        return Arbitraries.oneOf(
                queries,
                steers,
                configures,
                execs,
                approves,
                continues,
                text().map(BridgeCommand.Resume::new),
                maybe(text()).map(BridgeCommand.Interrupt::new),
                Arbitraries.longs().map(BridgeCommand.Attach::new),
                Arbitraries.longs().map(BridgeCommand.Ack::new),
                Arbitraries.of(
                        new BridgeCommand.Rest(),
                        new BridgeCommand.Shutdown(),
                        new BridgeCommand.Unknown("dance")));
    }

    static Arbitrary<EventFrame> frames() {
        return Combinators.combine(Arbitraries.longs().greaterOrEqual(0), maybe(text()), events())
                .as(EventFrame::new);
    }

    private static Arbitrary<BridgeEvent> events() {
        Arbitrary<BridgeEvent> readies =
                Combinators.combine(maybe(text()), maybe(text()), maybe(text()))
                        .as(BridgeEvent.Ready::new);
        Arbitrary<BridgeEvent> results =
                Combinators.combine(text(), Arbitraries.integers(), text(), text())
                        .as(BridgeEvent.ExecResult::new);
        Arbitrary<BridgeEvent> approvals =
                Combinators.combine(
                                text(),
                                Arbitraries.of(BridgeEvent.Approval.Kind.values()),
                                text(),
                                notNull(),
                                maybe(text()),
                                maybe(text()))
                        .as(BridgeEvent.Approval::new);
        Arbitrary<BridgeEvent> failures =
                Combinators.combine(text(), Arbitraries.of(true, false))
                        .as(BridgeEvent.Failed::new);
        Arbitrary<BridgeEvent> restings =
                Combinators.combine(Arbitraries.of(true, false), maybe(text()), maybe(text()))
                        .as(BridgeEvent.Resting::new);
        Arbitrary<BridgeEvent> steereds =
                Combinators.combine(text(), maybe(text())).as(BridgeEvent.Steered::new);
        return Arbitraries.oneOf(
                readies,
                steereds,
                results,
                approvals,
                restings,
                text().map(BridgeEvent.ApprovalGone::new),
                notNull().map(BridgeEvent.Message::new),
                failures,
                text().map(BridgeEvent.Done::new),
                text().map(BridgeEvent.TurnStarted::new),
                Arbitraries.just(new BridgeEvent.Unknown("dance")));
    }

    private static Arbitrary<TurnOptions> turnOptions() {
        return Combinators.combine(
                        Arbitraries.of(true, false),
                        maybe(text()),
                        maybe(Arbitraries.integers()),
                        maybe(Arbitraries.doubles()),
                        maybe(text()),
                        maybe(notNull()),
                        maybe(notNull()))
                .as(TurnOptions::new);
    }

    private static Arbitrary<EngineConfig> engineConfigs() {
        return Combinators.combine(
                        maybe(text()).list().ofSize(7),
                        maybe(notNull()),
                        maybe(notNull()),
                        texts(),
                        texts(),
                        texts(),
                        env())
                .as(
                        (words, mcp, subagents, allowed, disallowed, betas, env) ->
                                new EngineConfig(
                                        words.get(0),
                                        words.get(1),
                                        words.get(2),
                                        words.get(3),
                                        words.get(4),
                                        mcp,
                                        subagents,
                                        words.get(5),
                                        allowed,
                                        disallowed,
                                        betas,
                                        env,
                                        words.get(6)));
    }

    private static Arbitrary<Map<String, String>> env() {
        return Arbitraries.maps(TextArbitraries.hostile(), text()).ofMaxSize(4);
    }

    private static Arbitrary<List<String>> texts() {
        return text().list().ofMaxSize(4);
    }

    private static Arbitrary<String> text() {
        return TextArbitraries.withLoneSurrogates();
    }

    /** Excludes {@code null}, which is encoded as an absent field. */
    private static Arbitrary<RawJson> notNull() {
        return TextArbitraries.json().filter(json -> !json.equals("null")).map(RawJson::of);
    }

    private static <T> Arbitrary<T> maybe(Arbitrary<T> values) {
        return values.injectNull(0.4);
    }

    private BridgeMessageArbitraries() {}
}

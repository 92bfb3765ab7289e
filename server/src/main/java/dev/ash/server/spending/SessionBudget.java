package dev.ash.server.spending;

import dev.ash.protocol.SessionId;
import dev.ash.server.egress.model.CallBudget;
import dev.ash.server.egress.model.ModelUsage;
import dev.ash.server.store.Writer;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The budget of one session. A call is admitted while spent money and the reservations of the other
 * calls in flight are below the limit, so a session exceeds it by one call at most. All state is in
 * the database; without a limit nothing is reserved, and calls wait for no write.
 */
public final class SessionBudget implements CallBudget {
    private static final System.Logger LOG = System.getLogger("ash.spending");

    private final Writer writer;
    private final SpendingStore store;
    private final Clock clock;
    private final SessionId session;
    private volatile Limits limits;

    SessionBudget(
            Writer writer, SpendingStore store, Clock clock, SessionId session, Limits limits) {
        this.writer = writer;
        this.store = store;
        this.clock = clock;
        this.session = session;
        this.limits = limits;
    }

    /** What a session may spend; absent means without limit. */
    public record Limits(@Nullable Double maxBudgetUsd, @Nullable Long maxTokens) {
        private @Nullable Long maxMicroUsd() {
            return maxBudgetUsd == null ? null : SpendingStore.micros(maxBudgetUsd);
        }
    }

    /** Applies to calls from now on. */
    public void limit(Limits changed) {
        limits = changed;
    }

    @Override
    public boolean limitsCost() {
        return limits.maxBudgetUsd() != null;
    }

    @Override
    public Admission admit(ModelUsage estimate) {
        var current = limits;
        if (current.maxBudgetUsd() == null && current.maxTokens() == null) {
            return new Admission.Admitted(new Call(null));
        }
        long now = clock.millis();
        var day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).toString();
        var id = UUID.randomUUID().toString();
        var call = new SpendingStore.Call(id, session, estimate, day, now);
        return writer.write(
                transaction ->
                        store.reserve(transaction, call, current.maxMicroUsd(), current.maxTokens())
                                ? new Admission.Admitted(new Call(id))
                                : new Admission.Rejected(
                                        sentence(store.balance(transaction, session), current)));
    }

    private String sentence(SpendingStore.Balance balance, Limits current) {
        var money = current.maxMicroUsd();
        if (money != null && balance.microUsd() + balance.reservedMicroUsd() >= money) {
            return sentence(
                    "$%.4f of the $%.4f".formatted(balance.microUsd() / 1e6, money / 1e6),
                    "$%.4f".formatted(balance.reservedMicroUsd() / 1e6),
                    "maxBudgetUsd",
                    balance.calls(),
                    balance.microUsd() >= money);
        }
        long tokens = current.maxTokens() == null ? 0 : current.maxTokens();
        return sentence(
                "%,d of the %,d tokens".formatted(balance.tokens(), tokens),
                "%,d tokens".formatted(balance.reservedTokens()),
                "maxTokens",
                balance.calls(),
                balance.tokens() >= tokens);
    }

    private String sentence(
            String spent, String reserved, String setting, long calls, boolean spentAll) {
        var inFlight =
                calls == 0
                        ? ""
                        : ", and its %d model calls in flight have reserved %s"
                                .formatted(calls, reserved);
        return "Ash: this session has used %s that its %s allows%s; %sraise %s with PATCH /api/sessions/%s/config"
                .formatted(
                        spent,
                        setting,
                        inFlight,
                        spentAll ? "" : "try again when those have ended, or ",
                        setting,
                        session);
    }

    /** {@code reservation} is absent if nothing was reserved. */
    private final class Call implements CallInFlight {
        private final @Nullable String reservation;

        private Call(@Nullable String reservation) {
            this.reservation = reservation;
        }

        /** One transaction: a crash can neither lose the call nor count it twice. */
        @Override
        public void settle(ModelUsage usage) {
            var id = reservation;
            writer.submit(
                    transaction -> {
                        if (id == null || store.remove(transaction, id)) {
                            store.charge(transaction, session, usage);
                        }
                    },
                    why ->
                            LOG.log(
                                    System.Logger.Level.WARNING,
                                    "model usage is not recorded",
                                    why));
        }

        @Override
        public void release() {
            var id = reservation;
            if (id != null) {
                writer.submit(
                        transaction -> store.remove(transaction, id),
                        why ->
                                LOG.log(
                                        System.Logger.Level.WARNING,
                                        "the reservation of a model call is not released",
                                        why));
            }
        }
    }
}

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
 * The budget of one session. A call is admitted while the spending plus the reservations of calls
 * in flight is below the limit, so a session exceeds it by one call at most. All state is in the
 * database; without a limit nothing is reserved, and calls do not wait for a write.
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

    /** The maximum spending of a session; null means unlimited. */
    public record Limits(@Nullable Double maxBudgetUsd, @Nullable Long maxTokens) {
        private @Nullable Long maxMicroUsd() {
            return maxBudgetUsd == null ? null : SpendingStore.micros(maxBudgetUsd);
        }
    }

    /** Changes the limits of later calls. */
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
                                        message(store.balance(transaction, session), current)));
    }

    private String message(SpendingStore.Balance balance, Limits current) {
        var money = current.maxMicroUsd();
        if (money != null && balance.microUsd() + balance.reservedMicroUsd() >= money) {
            return message(
                    "$%.4f of the $%.4f".formatted(balance.microUsd() / 1e6, money / 1e6),
                    "$%.4f".formatted(balance.reservedMicroUsd() / 1e6),
                    "maxBudgetUsd",
                    balance.calls(),
                    balance.microUsd() >= money);
        }
        long tokens = current.maxTokens() == null ? 0 : current.maxTokens();
        return message(
                "%,d of the %,d tokens".formatted(balance.tokens(), tokens),
                "%,d tokens".formatted(balance.reservedTokens()),
                "maxTokens",
                balance.calls(),
                balance.tokens() >= tokens);
    }

    private String message(
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
                        spentAll ? "" : "retry when these calls have completed, or ",
                        setting,
                        session);
    }

    /** A call in flight; {@code reservation} is null if nothing was reserved. */
    private final class Call implements CallInFlight {
        private final @Nullable String reservation;

        private Call(@Nullable String reservation) {
            this.reservation = reservation;
        }

        /** Uses one transaction, so that a crash can neither lose the call nor count it twice. */
        @Override
        public void settle(ModelUsage usage) {
            var id = reservation;
            writer.submit(
                    transaction -> {
                        if (id == null || store.remove(transaction, id)) {
                            store.charge(transaction, session, usage);
                        }
                    },
                    cause ->
                            LOG.log(
                                    System.Logger.Level.WARNING,
                                    "Cannot record model usage",
                                    cause));
        }

        @Override
        public void release() {
            var id = reservation;
            if (id != null) {
                writer.submit(
                        transaction -> store.remove(transaction, id),
                        cause ->
                                LOG.log(
                                        System.Logger.Level.WARNING,
                                        "Cannot release the reservation of a model call",
                                        cause));
            }
        }
    }
}

package dev.ash.server.egress.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.TimedConnection.Deadlines;
import dev.ash.server.egress.model.BudgetSchedule.Environment;
import dev.ash.server.spending.SessionBudget;
import dev.ash.server.spending.SessionBudgets;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs generated schedules of parallel calls, disconnects and crashes against real budgets. {@code
 * -Dash.money.schedules} sets their number, {@code -Dash.money.seed} repeats a run.
 */
@Timeout(600)
class BudgetScheduleTest {
    private static final int BATCH = 250;

    private final long seed = Long.getLong("ash.money.seed", System.nanoTime());
    private final int schedules = Integer.getInteger("ash.money.schedules", 10_000);

    @TempDir Path directory;

    @Test
    void chargesAtMostBudgetPlusOneCallAndRecordsAllCharges() throws Exception {
        var random = new Random(seed);
        int madeCalls = 0;
        try (var database = Database.open(directory.resolve("ash.db"));
                var deadlines = new Deadlines(Duration.ofSeconds(1));
                var metering = new Metering(PriceTable::builtIn, Duration.ofSeconds(9))) {
            var budgets = new SessionBudgets(database, Clock.systemUTC());
            for (int done = 0; done < schedules; done += BATCH) {
                var batch = new ArrayList<BudgetSchedule>();
                for (int i = 0; i < Math.min(BATCH, schedules - done); i++) {
                    batch.add(new BudgetSchedule(random));
                }
                insert(database, batch);
                var crash = new CountedCrash(random.nextInt(3) > 0 ? -1 : random.nextInt(900));
                var environment = new Environment(deadlines, metering, crash);
                run(environment, budgets, batch);
                boolean crashed = crash.getAsBoolean();
                if (crashed) {
                    budgets.recover();
                    run(new Environment(deadlines, metering, new CountedCrash(-1)), budgets, batch);
                }
                check(database, batch, crashed, "schedules from " + done + ", seed " + seed);
                madeCalls += batch.stream().mapToInt(BudgetSchedule::madeCalls).sum();
            }
        }
        assertThat(madeCalls).as("calls that the model charged").isGreaterThan(schedules);
    }

    private static void run(
            Environment environment, SessionBudgets budgets, List<BudgetSchedule> batch)
            throws InterruptedException {
        var threads = new ArrayList<Thread>();
        for (var schedule : batch) {
            var budget = budgets.open(schedule.session, schedule.limits);
            threads.add(Thread.ofVirtual().start(() -> run(schedule, environment, budget)));
        }
        for (var thread : threads) {
            thread.join();
        }
    }

    private static void run(
            BudgetSchedule schedule, Environment environment, SessionBudget budget) {
        try {
            schedule.run(environment, budget);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void check(
            Database database, List<BudgetSchedule> batch, boolean crashed, String description) {
        database.writer().write(_ -> true); // waits until all settlements are committed
        var recorded = recorded(database);
        for (int i = 0; i < batch.size(); i++) {
            var schedule = batch.get(i);
            var name = "number %d of %s: %s".formatted(i, description, schedule.limits);
            var row = recorded.getOrDefault(schedule.session.value(), new long[2]);
            assertThat(schedule.check(row[0], row[1])).as(name).isEmpty();
            if (schedule.startsWithSingleCall() && !crashed) {
                assertThat(schedule.madeCalls()).as(name).isPositive();
            }
        }
        assertThat(countReservations(database)).as("reservations after " + description).isZero();
    }

    private static long countReservations(Database database) {
        return database.read(
                handle ->
                        handle.createQuery("SELECT count(*) FROM reservations")
                                .mapTo(Long.class)
                                .one());
    }

    private static Map<String, long[]> recorded(Database database) {
        var found = new HashMap<String, long[]>();
        database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT id, cost_micro_usd AS cost, input_tokens + output_tokens +"
                                                + " cache_creation_tokens + cache_read_tokens AS tokens FROM"
                                                + " sessions")
                                .map(
                                        rows ->
                                                found.put(
                                                        rows.getString("id"),
                                                        new long[] {
                                                            rows.getLong("cost"),
                                                            rows.getLong("tokens")
                                                        }))
                                .list());
        return found;
    }

    private static void insert(Database database, List<BudgetSchedule> batch) {
        database.writer()
                .write(
                        transaction -> {
                            var handle = transaction.handle();
                            handle.execute("DELETE FROM sessions");
                            for (var schedule : batch) {
                                handle.execute(
                                        "INSERT INTO sessions (id, tenant_id, agent_id, agent_name,"
                                                + " agent_version, sandbox_id, status, engine,"
                                                + " permission_mode, settings, created_at,"
                                                + " last_active_at) VALUES (?, 't', 'a', 'a', 1,"
                                                + " 's', 'active', 'demo', 'ask', x'00', 0, 0)",
                                        schedule.session.value());
                            }
                            return true;
                        });
    }

    /** Crashes before a call is settled, after a number of other settlements; never if negative. */
    private static final class CountedCrash implements BudgetSchedule.Crash {
        private final AtomicInteger left;
        private volatile boolean crashed;

        private CountedCrash(int after) {
            left = new AtomicInteger(after);
        }

        @Override
        public void beforeSettle() {
            if (left.get() >= 0 && left.getAndDecrement() == 0) {
                crashed = true;
            }
        }

        @Override
        public boolean getAsBoolean() {
            return crashed;
        }
    }
}

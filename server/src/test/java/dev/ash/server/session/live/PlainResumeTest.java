package dev.ash.server.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PlainResumeTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();

    private PlainResume resume(Duration queryDelay, Duration errorDelay) {
        return new PlainResume(queryDelay, errorDelay, ended::add);
    }

    @Test
    void doesNotWaitWithoutResume() {
        var resume = resume(LONG, LONG);

        resume.awaitBeforeQuery();

        assertThat(resume.onDone()).isFalse();
        assertThat(resume.onError("x")).isFalse();
    }

    @Test
    void queryWaitsForDone() throws InterruptedException {
        var resume = resume(LONG, LONG);
        resume.onSent();
        var query = Thread.ofVirtual().start(resume::awaitBeforeQuery);

        assertThat(resume.onDone()).isTrue();

        query.join();
        assertThat(resume.onDone()).as("the done of the turn").isFalse();
    }

    @Test
    void queryWaitsForErrorAndItsDoneEndsNoTurn() throws InterruptedException {
        var resume = resume(LONG, LONG);
        resume.onSent();
        var query = Thread.ofVirtual().start(resume::awaitBeforeQuery);

        assertThat(resume.onError("x")).isTrue();

        query.join();
        assertThat(resume.onDone()).isTrue();
        assertThat(resume.onDone()).isFalse();
    }

    @Test
    void lateDoneEndsNoTurn() {
        var resume = resume(SHORT, LONG);
        resume.onSent();
        resume.awaitBeforeQuery();

        assertThat(resume.onDone()).isTrue();
        assertThat(resume.onDone()).isFalse();
    }

    @Test
    void doneAfterMessageEndsTurn() {
        var resume = resume(SHORT, LONG);
        resume.onSent();
        resume.onMessage();
        resume.awaitBeforeQuery();
        resume.onMessage();

        assertThat(resume.onDone()).isFalse();
    }

    @Test
    void lateErrorEndsTurnIfNoMessageFollows() throws InterruptedException {
        var resume = resume(SHORT, SHORT);
        resume.onSent();
        resume.awaitBeforeQuery();

        assertThat(resume.onError("why")).isTrue();
        assertThat(resume.onDone()).isTrue();

        assertThat(ended.poll(20, TimeUnit.SECONDS)).isEqualTo("why");
    }

    @Test
    void secondErrorEndsTurn() throws InterruptedException {
        var resume = resume(SHORT, Duration.ofMillis(200));
        resume.onSent();
        resume.awaitBeforeQuery();
        resume.onError("of the resume");

        assertThat(resume.onError("of the query")).isFalse();

        assertThat(ended.poll(500, TimeUnit.MILLISECONDS)).as("a second end").isNull();
    }

    @Test
    void messageAfterLateErrorKeepsTurn() throws InterruptedException {
        var resume = resume(SHORT, Duration.ofMillis(200));
        resume.onSent();
        resume.awaitBeforeQuery();
        resume.onError("why");

        resume.onMessage();

        assertThat(ended.poll(500, TimeUnit.MILLISECONDS)).isNull();
        assertThat(resume.onDone()).as("ends the turn").isFalse();
    }

    @Test
    void exitOfBridgeReleasesQuery() throws InterruptedException {
        var resume = resume(LONG, LONG);
        resume.onSent();
        var query = Thread.ofVirtual().start(resume::awaitBeforeQuery);

        resume.abandon();

        query.join();
    }
}

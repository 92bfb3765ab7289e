package dev.ash.pair.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.loop.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class TranscriptTest {
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir Path directory;

    @Test
    void wakesWaitingReadersOnNewLinesAndAtTheEnd() throws IOException, InterruptedException {
        var transcript = new Transcript(directory, 1, Clock.systemUTC());
        var writer =
                Thread.ofVirtual()
                        .start(() -> transcript.append(new Journal.Event("start", 0, null, "x")));

        assertThat(transcript.await(0, LONG)).isTrue();
        writer.join();
        var page = transcript.read(0, 0);
        assertThat(page.lines()).singleElement().returns(1L, Transcript.Line::seq);

        var ender = Thread.ofVirtual().start(transcript::end);
        assertThat(transcript.await(page.nextOffset(), LONG)).isFalse();
        ender.join();
        assertThat(transcript.await(page.nextOffset(), LONG)).isFalse(); // later calls do not wait
    }
}

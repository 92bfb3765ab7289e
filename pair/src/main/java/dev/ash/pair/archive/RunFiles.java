package dev.ash.pair.archive;

import dev.ash.pair.loop.Journal;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.ProgressJson;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Writes the manifest and transcript of a run while a server executes it. Thread-safe: the loop
 * saves its progress while other threads pause the run or assign its peers.
 */
public final class RunFiles implements Journal {
    private final Path directory;
    private final RunSetup setup;
    private final Transcript transcript;
    private final Clock clock;
    private @Nullable PeerAssignment worker;
    private @Nullable PeerAssignment reviewer;
    private boolean paused;
    private byte[] progressText;

    public RunFiles(Path directory, Manifest.AshRun run, Clock clock) {
        this.directory = directory;
        this.setup = run.setup();
        this.worker = run.worker();
        this.reviewer = run.reviewer();
        this.paused = run.paused();
        this.progressText = ProgressJson.write(run.progress()).toBytes();
        this.clock = clock;
        this.transcript = new Transcript(directory, setup.id(), clock);
    }

    public Path directory() {
        return directory;
    }

    public RunSetup setup() {
        return setup;
    }

    public Transcript transcript() {
        return transcript;
    }

    public synchronized @Nullable PeerAssignment worker() {
        return worker;
    }

    public synchronized @Nullable PeerAssignment reviewer() {
        return reviewer;
    }

    /** Writes the initial manifest. */
    public synchronized void create() {
        writeManifest();
    }

    public synchronized void assign(
            @Nullable PeerAssignment newWorker, @Nullable PeerAssignment newReviewer) {
        worker = newWorker;
        reviewer = newReviewer;
        writeManifest();
    }

    public synchronized void setPaused(boolean isPaused) {
        paused = isPaused;
        writeManifest();
    }

    @Override
    public synchronized void save(Progress progress) {
        progressText = ProgressJson.write(progress).toBytes();
        writeManifest();
    }

    @Override
    public void record(Event event) {
        transcript.append(event);
    }

    /** Returns the last saved state, which readers may see. */
    public synchronized Manifest.AshRun state() {
        try {
            var progress = ProgressJson.read(new RawJson(progressText));
            return new Manifest.AshRun(setup, worker, reviewer, paused, progress);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void writeManifest() {
        try {
            var text = Manifest.write(state(), clock.instant().toString());
            PrivateFiles.replace(directory.resolve(Manifest.FILE), text.toBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.ProcessSandbox.LastWords;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.files.OutputSampler;
import dev.ash.sandbox.files.SandboxFolders;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.limits.Bounds;
import dev.ash.sandbox.limits.Group;
import dev.ash.sandbox.limits.Strain;
import dev.ash.sandbox.limits.Watch;
import dev.ash.sandbox.limits.Watch.Ward;
import java.util.List;

/** Puts every sandbox that has come to be under watch, for as long as it lives. */
record Supervisor(DataLayout layout, SandboxFolders folders, Watch watch, OutputSampler outputs) {
    /** A process of a sandbox with what is known of it. */
    record Running(
            SandboxId id,
            String nonce,
            SandboxProcess process,
            LastWords lastWords,
            Group group,
            Bounds bounds) {}

    Sandbox watched(Running running, BridgeClient bridge) {
        var id = running.id();
        var strain = new Strain(running.group(), running.bounds(), System::nanoTime);
        var sandbox =
                new ProcessSandbox(
                        id,
                        running.nonce(),
                        running.process(),
                        bridge,
                        running.lastWords(),
                        strain);
        watch.add(
                new Ward(
                        running.process()::members,
                        List.of(layout.workspace(id), layout.home(id), layout.run(id)),
                        folders.image(id),
                        running.bounds(),
                        strain,
                        running.process()::alive,
                        sandbox::end));
        outputs.add(layout.logs(id), running.process()::alive);
        return sandbox;
    }

    void close() {
        watch.close();
        outputs.close();
    }
}

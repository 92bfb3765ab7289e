package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.ProcessSandbox.ErrorOutput;
import dev.ash.sandbox.files.DataLayout;
import dev.ash.sandbox.files.OutputSampler;
import dev.ash.sandbox.files.SandboxDirectories;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.limits.ControlGroup;
import dev.ash.sandbox.limits.LimitMonitor;
import dev.ash.sandbox.limits.LimitMonitor.MonitoredSandbox;
import dev.ash.sandbox.limits.PressureMonitor;
import dev.ash.sandbox.limits.ResolvedLimits;
import java.util.List;

/** Registers started sandboxes with the limit monitor and the output sampler until they exit. */
record Supervisor(
        DataLayout layout,
        SandboxDirectories directories,
        LimitMonitor monitor,
        OutputSampler outputs) {
    /** A started sandbox process with its properties. */
    record Running(
            SandboxId id,
            String nonce,
            SandboxProcess process,
            ErrorOutput errorOutput,
            ControlGroup group,
            ResolvedLimits limits) {}

    Sandbox supervise(Running running, BridgeClient bridge) {
        var id = running.id();
        var pressureMonitor =
                new PressureMonitor(running.group(), running.limits(), System::nanoTime);
        var sandbox =
                new ProcessSandbox(
                        id,
                        running.nonce(),
                        running.process(),
                        bridge,
                        running.errorOutput(),
                        pressureMonitor);
        monitor.add(
                new MonitoredSandbox(
                        running.process()::members,
                        List.of(layout.workspace(id), layout.home(id), layout.run(id)),
                        directories.image(id),
                        running.limits(),
                        pressureMonitor,
                        running.process()::isAlive,
                        sandbox::terminate));
        outputs.add(layout.logs(id), running.process()::isAlive);
        return sandbox;
    }

    void close() {
        monitor.close();
        outputs.close();
    }
}

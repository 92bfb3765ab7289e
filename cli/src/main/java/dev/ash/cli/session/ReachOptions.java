package dev.ash.cli.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a new session reaches outside its sandbox: hosts, and the model by a key. */
public final class ReachOptions {
    @Option(
            names = "--credential",
            paramLabel = "ID",
            description = "A stored key for the model, from `ash credentials list`.")
    @Nullable String credential;

    @Option(
            names = "--allow",
            paramLabel = "HOST",
            description = "A host that the sandbox may reach, such as *.example.com; repeatable.")
    List<String> allow = new ArrayList<>();

    /** Null where nobody said anything. */
    public @Nullable String credential() {
        return credential;
    }

    /** Null where nobody said anything. */
    public @Nullable RawJson network() {
        if (allow.isEmpty()) {
            return null;
        }
        var hosts = allow.stream().map(RawJson::string).map(RawJson::toString).toList();
        return JsonWriter.object()
                .put("allow", new RawJson(("[" + String.join(",", hosts) + "]").getBytes(UTF_8)))
                .end();
    }
}

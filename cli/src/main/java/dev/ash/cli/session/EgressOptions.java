package dev.ash.cli.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for a new session's egress: allowed hosts and the credential for the model. */
public final class EgressOptions {
    @Option(
            names = "--credential",
            paramLabel = "ID",
            description = "Id of a stored credential, see `ash credentials list`.")
    @Nullable String credential;

    @Option(
            names = "--allow",
            paramLabel = "HOST",
            description = "Host that the sandbox may reach, such as *.example.com; repeatable.")
    List<String> allow = new ArrayList<>();

    /** Returns null if the option was not specified. */
    public @Nullable String credential() {
        return credential;
    }

    /** Returns null if the option was not specified. */
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

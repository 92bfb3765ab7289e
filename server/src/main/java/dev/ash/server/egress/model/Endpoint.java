package dev.ash.server.egress.model;

import dev.ash.server.egress.model.request.RequestFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An endpoint of a model API that sandboxes may call.
 *
 * @param path matches the path; its group {@code model}, if it has one, is the name of the model
 * @param format the format of its requests
 * @param isMetered whether a call costs money
 * @param queries the permitted query strings of a call with a body; empty for none
 */
record Endpoint(
        String method,
        Pattern path,
        RequestFormat format,
        boolean isMetered,
        List<String> queries) {
    /** The path of a model in Google's API. */
    static final String MODEL_PATH = "/v1beta/models/(?<model>[A-Za-z0-9][A-Za-z0-9._-]*)";

    private static final String MODEL = "model";

    static Endpoint metered(String path, RequestFormat format, String... queries) {
        return new Endpoint("POST", Pattern.compile(path), format, true, List.of(queries));
    }

    static Endpoint free(String path, RequestFormat format, String... queries) {
        return new Endpoint("POST", Pattern.compile(path), format, false, List.of(queries));
    }

    /** The list of models, and the description of one. */
    static Endpoint models(String path, RequestFormat format) {
        var pattern = Pattern.compile(path + "(/[A-Za-z0-9][A-Za-z0-9._:-]*)?");
        return new Endpoint("GET", pattern, format, false, List.of());
    }

    boolean matches(String method, String path) {
        return this.method.equals(method) && this.path.matcher(path).matches();
    }

    /** Returns the name of the model in a path that matches; empty if it has none. */
    String model(String path) {
        Matcher matcher = this.path.matcher(path);
        return this.path.namedGroups().containsKey(MODEL) && matcher.matches()
                ? matcher.group(MODEL)
                : "";
    }
}

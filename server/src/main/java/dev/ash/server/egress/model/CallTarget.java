package dev.ash.server.egress.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The target of a call to a model API. Google's clients may send the key in the query string, from
 * which it is removed: it is a placeholder, and the real key is sent in a header.
 *
 * @param query the query string without keys; empty if there is none
 * @param keys the keys in the query string
 */
record CallTarget(String path, String query, List<String> keys) {
    private static final String KEY = "key=";

    static CallTarget parse(String target, ModelApi api) {
        int mark = target.indexOf('?');
        if (mark < 0) {
            return new CallTarget(target, "", List.of());
        }
        var path = target.substring(0, mark);
        var query = target.substring(mark + 1);
        if (!api.acceptsKeyInQuery()) {
            return new CallTarget(path, query, List.of());
        }
        var keys = new ArrayList<String>();
        var others = new ArrayList<String>();
        for (var parameter : query.split("&", -1)) {
            if (parameter.startsWith(KEY)) {
                keys.add(parameter.substring(KEY.length()));
            } else {
                others.add(parameter);
            }
        }
        return new CallTarget(path, String.join("&", others), List.copyOf(keys));
    }

    /** Returns the path and the query string without keys. */
    String forwarded() {
        return query.isEmpty() ? path : path + "?" + query;
    }
}
